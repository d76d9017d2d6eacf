// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.util.List;

/**
 * What one member should hold. Task ids come by subtopology, then by partition.
 *
 * @param id the member
 * @param active the tasks that it owns. Where the host's protocol needs a revocation first this is the destination
 * @param standby the tasks that it follows
 * @param learner the tasks that it builds up in order to own them
 * @since 1.0
 */
public record MemberPlan(String id, List<String> active, List<String> standby, List<String> learner) {
    /** Copies what is given. */
    public MemberPlan {
        active = List.copyOf(active);
        standby = List.copyOf(standby);
        learner = List.copyOf(learner);
    }
}
