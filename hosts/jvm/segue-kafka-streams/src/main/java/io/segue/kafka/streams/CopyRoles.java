// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsState;
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
 *       down.
 *   <li>Of the other copies the nearest ones, as many as standbys are wanted, are the standbys: whoever follows the
 *       changelog is near its end, and a dormant copy only falls behind.
 *   <li>The rest is dormant.
 * </ul>
 */
final class CopyRoles {
    private final Map<ProcessId, KafkaStreamsState> states;
    private final Set<TaskId> stateful;
    private final Shares shares;
    private final Map<TaskId, ProcessId> owners = new HashMap<>();
    private final Map<TaskId, Set<ProcessId>> standbys = new HashMap<>();
    private final boolean balanced;

    CopyRoles(Map<ProcessId, KafkaStreamsState> states, Set<TaskId> stateful, int standbysWanted) {
        this.states = states;
        this.stateful = stateful;
        states.values().forEach(state -> state.previousActiveTasks().stream()
                .filter(stateful::contains)
                .forEach(task -> owners.put(task, state.processId())));
        shares = new Shares(states, stateful, owners);
        balanced = owners.size() == stateful.size() && shares.allWithin();
        stateful.forEach(task -> standbys.put(task, nearest(task, standbysWanted)));
    }

    /** Empty for a task that has no state any more. */
    Optional<Role> of(ProcessId process, TaskId task) {
        if (!stateful.contains(task)) {
            return Optional.empty();
        }
        if (mayLearn(process, task)) {
            return Optional.of(Role.LEARNER);
        }
        return Optional.of(standbys.get(task).contains(process) ? Role.STANDBY : Role.DORMANT);
    }

    private boolean mayLearn(ProcessId process, TaskId task) {
        ProcessId owner = owners.get(task);
        return !balanced && shares.below(process) && (owner == null || shares.gives(owner));
    }

    private Set<ProcessId> nearest(TaskId task, int count) {
        List<ProcessId> holders = states.values().stream()
                .filter(state -> state.previousStandbyTasks().contains(task))
                .filter(state -> !mayLearn(state.processId(), task))
                .sorted(Comparator.comparingLong((KafkaStreamsState state) ->
                                Lags.of(state, task).orElse(Long.MAX_VALUE))
                        .thenComparing(KafkaStreamsState::processId))
                .limit(count)
                .map(KafkaStreamsState::processId)
                .toList();
        return new HashSet<>(holders);
    }
}
