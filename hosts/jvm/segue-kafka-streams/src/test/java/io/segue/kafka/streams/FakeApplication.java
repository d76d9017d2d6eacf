// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;

import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.assignment.ApplicationState;
import org.apache.kafka.streams.processor.assignment.AssignmentConfigs;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsState;
import org.apache.kafka.streams.processor.assignment.ProcessId;
import org.apache.kafka.streams.processor.assignment.TaskInfo;
import org.apache.kafka.streams.processor.assignment.TaskTopicPartition;

/** What Kafka Streams would tell its assignor. */
final class FakeApplication implements ApplicationState {
    private final Map<TaskId, TaskInfo> tasks = new HashMap<>();
    private final Map<ProcessId, KafkaStreamsState> states = new LinkedHashMap<>();
    private List<String> tagKeys = List.of();
    private List<String> racks = List.of();
    private String rackStrategy = "none";
    private int standbys;
    private boolean broken;

    private record FakePartition(TopicPartition topicPartition, boolean isSource, Set<String> racks)
            implements TaskTopicPartition {
        @Override
        public boolean isChangelog() {
            return !isSource;
        }

        @Override
        public Optional<Set<String>> rackIds() {
            return Optional.of(racks);
        }
    }

    private record FakeTask(TaskId id, boolean isStateful, List<String> racks) implements TaskInfo {
        @Override
        public Set<String> stateStoreNames() {
            return isStateful ? Set.of("store") : Set.of();
        }

        @Override
        public Set<TaskTopicPartition> topicPartitions() {
            if (racks.isEmpty()) {
                return Set.of();
            }
            String rack = racks.get(id.partition() % racks.size());
            return Set.of(new FakePartition(new TopicPartition("input", id.partition()), true, Set.of(rack)),
                    new FakePartition(new TopicPartition("changelog", id.partition()), false, Set.of("elsewhere")));
        }
    }

    static ProcessId process(int number) {
        return new ProcessId(new UUID(0, number));
    }

    static TaskId task(int partition) {
        return new TaskId(0, partition);
    }

    FakeApplication stateful(int subtopology, int partitions) {
        return add(subtopology, partitions, true);
    }

    FakeApplication stateless(int subtopology, int partitions) {
        return add(subtopology, partitions, false);
    }

    FakeApplication standbys(int wanted) {
        standbys = wanted;
        return this;
    }

    /** Its rack.aware.assignment.tags. */
    FakeApplication tagKeys(String... keys) {
        tagKeys = List.of(keys);
        return this;
    }

    /** Its rack.aware.assignment.strategy. */
    FakeApplication rackStrategy(String name) {
        rackStrategy = name;
        return this;
    }

    /** Where the replicas of the tasks' input partitions are, by turns; for the tasks that come after. */
    FakeApplication inputsIn(String... names) {
        racks = List.of(names);
        return this;
    }

    /** Its lags cannot be asked for. */
    FakeApplication broken() {
        broken = true;
        return this;
    }

    FakeApplication with(FakeProcess process) {
        states.put(process.processId(), process);
        return this;
    }

    private FakeApplication add(int subtopology, int partitions, boolean stateful) {
        for (int partition = 0; partition < partitions; partition++) {
            TaskId id = new TaskId(subtopology, partition);
            tasks.put(id, new FakeTask(id, stateful, racks));
        }
        return this;
    }

    @Override
    public Map<ProcessId, KafkaStreamsState> kafkaStreamsStates(boolean computeTaskLags) {
        if (broken && computeTaskLags) {
            throw new IllegalStateException("no lags");
        }
        return states;
    }

    @Override
    public AssignmentConfigs assignmentConfigs() {
        return new AssignmentConfigs(10_000, 2, standbys, 600_000, tagKeys, OptionalInt.empty(), OptionalInt.empty(),
                rackStrategy);
    }

    @Override
    public Map<TaskId, TaskInfo> allTasks() {
        return tasks;
    }

    @Override
    public String toString() {
        return tasks.keySet() + " standbys=" + standbys + " " + states.values();
    }
}
