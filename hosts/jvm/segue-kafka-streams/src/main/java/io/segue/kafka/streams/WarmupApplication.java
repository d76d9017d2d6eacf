// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;

import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.assignment.ApplicationState;
import org.apache.kafka.streams.processor.assignment.AssignmentConfigs;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsState;
import org.apache.kafka.streams.processor.assignment.ProcessId;
import org.apache.kafka.streams.processor.assignment.TaskInfo;
import org.apache.kafka.streams.processor.assignment.TaskTopicPartition;
import org.apache.kafka.streams.state.HostInfo;

/** A small application in the middle of a scale-out, so that a first plan goes every way that a real one goes. */
final class WarmupApplication implements ApplicationState {
    private static final TaskId KEPT = new TaskId(0, 0);
    private static final TaskId LEARNT = new TaskId(0, 1);
    private static final Map<TaskId, Long> RUNNING = Map.of(KEPT, -2L, LEARNT, -2L);
    private static final Map<TaskId, Long> BEHIND = Map.of(KEPT, 100_000L, LEARNT, 50_000L);

    private record Stateful(TaskId id) implements TaskInfo {
        @Override
        public boolean isStateful() {
            return true;
        }

        @Override
        public Set<String> stateStoreNames() {
            return Set.of();
        }

        @Override
        public Set<TaskTopicPartition> topicPartitions() {
            return Set.of();
        }
    }

    private record Instance(
            ProcessId processId,
            SortedSet<TaskId> previousActiveTasks,
            SortedSet<TaskId> previousStandbyTasks,
            Map<TaskId, Long> statefulTasksToLagSums)
            implements KafkaStreamsState {
        @Override
        public int numProcessingThreads() {
            return 1;
        }

        @Override
        public SortedSet<String> consumerClientIds() {
            return new TreeSet<>();
        }

        @Override
        public long lagFor(TaskId task) {
            return statefulTasksToLagSums.get(task);
        }

        @Override
        public SortedSet<TaskId> prevTasksByLag(String consumerClientId) {
            return new TreeSet<>();
        }

        @Override
        public Optional<HostInfo> hostInfo() {
            return Optional.empty();
        }

        @Override
        public Map<String, String> clientTags() {
            return Map.of();
        }

        @Override
        public Optional<String> rackId() {
            return Optional.empty();
        }
    }

    @Override
    public Map<ProcessId, KafkaStreamsState> kafkaStreamsStates(boolean computeTaskLags) {
        ProcessId owner = new ProcessId(new UUID(0, 1));
        ProcessId learner = new ProcessId(new UUID(0, 2));
        return Map.of(
                owner, new Instance(owner, new TreeSet<>(RUNNING.keySet()), new TreeSet<>(), RUNNING),
                learner, new Instance(learner, new TreeSet<>(), new TreeSet<>(Set.of(LEARNT)), BEHIND));
    }

    @Override
    public AssignmentConfigs assignmentConfigs() {
        return new AssignmentConfigs(10_000L, 2, 0, 600_000L, List.of());
    }

    @Override
    public Map<TaskId, TaskInfo> allTasks() {
        return Map.of(KEPT, new Stateful(KEPT), LEARNT, new Stateful(LEARNT));
    }
}
