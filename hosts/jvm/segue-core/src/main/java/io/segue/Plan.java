// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.util.List;

/**
 * What the group should hold after a rebalance. Immutable.
 *
 * @param assignor the name that was asked
 * @param members every member of the group once, in the group's order
 * @param followup whether and when another rebalance is needed
 * @param decisions one row for each task whose place or role changes or that was held back, by task
 * @param stats numbers of the plan
 * @param report what happened to the plan on its way: an answer is always a valid plan, this says whose
 * @since 1.0
 */
public record Plan(
        String assignor,
        List<MemberPlan> members,
        Followup followup,
        List<Decision> decisions,
        Stats stats,
        Report report) {
    /** Copies what is given. */
    public Plan {
        members = List.copyOf(members);
        decisions = List.copyOf(decisions);
    }
}
