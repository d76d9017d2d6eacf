// SPDX-License-Identifier: Apache-2.0
package io.segue.example;

import java.util.OptionalLong;

import io.segue.Assignor;
import io.segue.Configuration;
import io.segue.Followup;
import io.segue.Group;
import io.segue.Plan;
import io.segue.Proposal;
import io.segue.Role;
import io.segue.Segue;

/**
 * An assignor of one's own: {@code learner}, but copies are begun at night alone, when the brokers have bandwidth to spare.
 *
 * <p>All that it goes by is in the group, the leader's clock as well: any leader plans the same. In a Kafka Streams
 * application it is registered once, before that is started, {@code Segue.registerForAll("nightly", new Nightly())}, and
 * named by {@code segue.assignor=nightly}. For hosts in other languages it is a program: hosts/MANAGED.md.
 */
public final class Nightly implements Assignor {
    private static final long HOUR = 3_600_000;
    private static final long DAY = 24 * HOUR;
    private static final long BEGIN = 1 * HOUR; // of the day, in UTC
    private static final long END = 5 * HOUR;

    private final Segue segue = Segue.open();

    @Override
    public Proposal assign(Group group, Configuration configuration) {
        long hour = group.nowMs() % DAY;
        if (BEGIN <= hour && hour < END) {
            return Proposal.of(segue.assign("learner", group, configuration));
        }
        // Those that learn already go on; nobody begins.
        long learning = group.members().stream()
                .flatMap(member -> member.copies().stream())
                .filter(copy -> copy.role() == Role.LEARNER)
                .count();
        Plan plan = segue.assign("learner", group, configuration.with("segue.max.learners", learning));
        Proposal proposal = Proposal.of(plan);
        if (plan.stats().heldBack() == 0 || plan.stats().learners() > 0) {
            return proposal;
        }
        long opens = group.nowMs() - hour + BEGIN + (hour < BEGIN ? 0 : DAY);
        return proposal.withFollowup(new Followup(true, OptionalLong.of(opens), "learners-restoring"));
    }

    @Override
    public String version() {
        return "1.0";
    }

    @Override
    public String summary() {
        return "learner, and copies begin at night alone";
    }

    /** The program that hosts start as nightly.assignor. */
    public static void main(String[] arguments) {
        Segue.serve("nightly", new Nightly());
    }
}
