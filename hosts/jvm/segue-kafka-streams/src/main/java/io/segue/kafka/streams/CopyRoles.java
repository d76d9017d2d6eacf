// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.assignment.AssignmentConfigs;
import org.apache.kafka.streams.processor.assignment.ProcessId;

import io.segue.Role;

/**
 * Learner, standby or dormant: what Kafka Streams does not say of a copy. It calls every state directory that a process
 * has a lock on and does not own a "previous standby", whether somebody follows the changelog or not, and it has no
 * word for learners at all. The roles are told apart by what has to be true of each; RATIONALE.md has the reasons.
 *
 * <ul>
 *   <li>A learner is in flight only while the application is not at its balance, only towards a process that holds less
 *       than its share rounded up, and only of a task that nobody owns or whose owner holds more than its share rounded
 *       down. Of a task that nobody owns it is that of a process below its share rounded down, if there is one.
 *   <li>Of the other copies the nearest ones, as many as standbys are wanted, are the standbys: whoever follows the
 *       changelog is near its end, and a dormant copy only falls behind. Only between the two rounds of a hand-over
 *       the very nearest one is the former owner's, which was closed at the end; a standby that follows comes first.
 *   <li>The rest is dormant.
 * </ul>
 */
final class CopyRoles {
    private final Map<TaskId, ProcessId> owners = new HashMap<>();
    private final Map<TaskId, List<ProcessView>> holders = new HashMap<>();
    private final Map<TaskId, Set<ProcessId>> standbys = new HashMap<>();
    private final Set<TaskId> lackedBySomebody = new HashSet<>();
    private final Shares shares;
    private final long acceptableLag;
    private final boolean balanced;

    /** @param leaving processes that have no share any more, unless all of them are leaving */
    CopyRoles(
            Map<ProcessId, ProcessView> processes,
            Set<TaskId> stateful,
            AssignmentConfigs configs,
            Set<ProcessId> leaving) {
        stateful.forEach(task -> holders.put(task, new ArrayList<>()));
        processes.values().forEach(this::note);
        shares = new Shares(processes.values(), stateful.size(), owners, leaving);
        acceptableLag = configs.acceptableRecoveryLag();
        balanced = owners.size() == stateful.size() && shares.allWithin();
        holders.forEach((task, all) -> {
            if (all.stream().anyMatch(holder -> shares.lacks(holder.id()))) {
                lackedBySomebody.add(task);
            }
        });
        stateful.forEach(task -> standbys.put(task, nearest(task, configs.numStandbyReplicas())));
    }

    private void note(ProcessView process) {
        process.owned().stream().filter(holders::containsKey).forEach(task -> owners.put(task, process.id()));
        process.held().stream().filter(holders::containsKey).forEach(task -> holders.get(task).add(process));
    }

    /** Empty for a task that has no state any more. */
    Optional<Role> of(ProcessId process, TaskId task) {
        if (!standbys.containsKey(task)) {
            return Optional.empty();
        }
        if (mayLearn(process, task)) {
            return Optional.of(Role.LEARNER);
        }
        return Optional.of(standbys.get(task).contains(process) ? Role.STANDBY : Role.DORMANT);
    }

    private boolean mayLearn(ProcessId process, TaskId task) {
        ProcessId owner = owners.get(task);
        if (owner == null) {
            return shares.lacks(process) || shares.below(process) && !lackedBySomebody.contains(task);
        }
        return !balanced && shares.below(process) && shares.gives(owner);
    }

    private Set<ProcessId> nearest(TaskId task, int count) {
        List<ProcessView> others = new ArrayList<>(holders.get(task));
        others.removeIf(holder -> mayLearn(holder.id(), task));
        others.sort(Comparator.comparingLong((ProcessView holder) -> holder.distance(task))
                .thenComparing(ProcessView::id));
        if (handsOver(task)) {
            long caughtUp = others.stream().filter(holder -> caughtUp(holder, task)).count();
            Collections.rotate(others.subList(0, (int) caughtUp), -1);
        }
        return others.stream().limit(count).map(ProcessView::id).collect(Collectors.toSet());
    }

    /** Nobody owns it, and somebody has learnt it. */
    private boolean handsOver(TaskId task) {
        return !owners.containsKey(task) && holders.get(task).stream()
                .anyMatch(holder -> mayLearn(holder.id(), task) && caughtUp(holder, task));
    }

    private boolean caughtUp(ProcessView holder, TaskId task) {
        return holder.distance(task) <= acceptableLag;
    }
}
