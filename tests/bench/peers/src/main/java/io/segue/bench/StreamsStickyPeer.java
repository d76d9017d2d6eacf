// SPDX-License-Identifier: Apache-2.0
package io.segue.bench;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.assignment.ApplicationState;
import org.apache.kafka.streams.processor.assignment.AssignmentConfigs;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsAssignment;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsAssignment.AssignedTask;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsState;
import org.apache.kafka.streams.processor.assignment.ProcessId;
import org.apache.kafka.streams.processor.assignment.TaskAssignor.TaskAssignment;
import org.apache.kafka.streams.processor.assignment.TaskInfo;
import org.apache.kafka.streams.processor.assignment.assignors.StickyTaskAssignor;
import org.apache.kafka.streams.processor.internals.assignment.DefaultKafkaStreamsState;
import org.apache.kafka.streams.processor.internals.assignment.DefaultTaskInfo;
import org.apache.kafka.streams.processor.internals.assignment.DefaultTaskTopicPartition;

/** Kafka Streams' own StickyTaskAssignor (KIP-924). */
final class StreamsStickyPeer implements Peer {
    private record Application(
            StreamsInput input, Map<ProcessId, KafkaStreamsState> states, Map<TaskId, TaskInfo> infos)
            implements ApplicationState {
        @Override
        public Map<ProcessId, KafkaStreamsState> kafkaStreamsStates(boolean computeTaskLags) {
            return states;
        }

        @Override
        public AssignmentConfigs assignmentConfigs() {
            return input.configs;
        }

        @Override
        public Map<TaskId, TaskInfo> allTasks() {
            return infos;
        }
    }

    @Override
    public Object prepare(Work work) {
        StreamsInput input = new StreamsInput(work);
        Map<TaskId, TaskInfo> infos = new HashMap<>();
        for (TaskId task : input.tasks) {
            TopicPartition source = new TopicPartition(String.valueOf(task.subtopology()), task.partition());
            infos.put(task, new DefaultTaskInfo(task, true, Set.of("store"),
                    Set.of(new DefaultTaskTopicPartition(source, true, false, () -> {}))));
        }
        Map<ProcessId, KafkaStreamsState> states = new HashMap<>();
        int[][] owned = work.owned();
        int[][] stoodBy = work.stoodBy();
        for (int member = 0; member < work.members(); member++) {
            ProcessId process = StreamsInput.process(member);
            states.put(process, state(input, process, tasks(input, owned[member]), tasks(input, stoodBy[member])));
        }
        return new Application(input, states, infos);
    }

    private static KafkaStreamsState state(
            StreamsInput input, ProcessId process, SortedSet<TaskId> active, SortedSet<TaskId> standby) {
        Set<TaskId> held = new HashSet<>(active);
        held.addAll(standby);
        SortedMap<String, Set<TaskId>> threads = new TreeMap<>(Map.of(process + "-1", held));
        Map<TaskId, Long> lags = new HashMap<>();
        active.forEach(task -> lags.put(task, StreamsInput.RUNS_THERE));
        standby.forEach(task -> lags.put(task, 0L));
        return new DefaultKafkaStreamsState(process, 1, Map.of(), active, standby, threads, Optional.empty(),
                Optional.of(lags), Optional.empty());
    }

    private static SortedSet<TaskId> tasks(StreamsInput input, int[] numbers) {
        SortedSet<TaskId> tasks = new TreeSet<>();
        for (int number : numbers) {
            tasks.add(input.tasks[number]);
        }
        return tasks;
    }

    @Override
    public Object run(Object input) {
        return new StickyTaskAssignor().assign((Application) input);
    }

    @Override
    public int[] owners(Work work, Object input, Object output) {
        int[] owners = new int[work.tasks()];
        for (KafkaStreamsAssignment assignment : ((TaskAssignment) output).assignment()) {
            int member = (int) assignment.processId().id().getLeastSignificantBits();
            assignment.tasks().values().stream()
                    .filter(task -> task.type() == AssignedTask.Type.ACTIVE)
                    .forEach(task -> owners[((Application) input).input.numbers.get(task.id())] = member);
        }
        return owners;
    }
}
