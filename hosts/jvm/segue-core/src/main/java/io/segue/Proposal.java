// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.util.List;
import java.util.Optional;

/**
 * What an {@link Assignor} answers. Immutable.
 *
 * @param members who should hold what; a member that is left out holds nothing
 * @param followup whether and when another rebalance is needed; empty: as long as something is being learned
 * @param stats of these, what only the assignor knows counts: the least moves, extra moves, what was held back, and
 *     whether it is optimal. Empty: nothing was held back, and no more was moved than had to be
 * @since 1.0
 */
public record Proposal(List<MemberPlan> members, Optional<Followup> followup, Optional<Stats> stats) {
    /** Copies what is given. */
    public Proposal {
        members = List.copyOf(members);
    }

    /** These, and nothing more to say. */
    public static Proposal of(List<MemberPlan> members) {
        return new Proposal(members, Optional.empty(), Optional.empty());
    }

    /** What another assignor has planned. */
    public static Proposal of(Plan plan) {
        return new Proposal(plan.members(), Optional.of(plan.followup()), Optional.of(plan.stats()));
    }

    /** The same with another follow-up. */
    public Proposal withFollowup(Followup other) {
        return new Proposal(members, Optional.of(other), stats);
    }
}
