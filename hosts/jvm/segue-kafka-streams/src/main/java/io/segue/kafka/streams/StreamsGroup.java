// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.assignment.ApplicationState;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsState;
import org.apache.kafka.streams.processor.assignment.ProcessId;
import org.apache.kafka.streams.processor.assignment.TaskInfo;
import org.apache.kafka.streams.processor.assignment.TaskTopicPartition;

import io.segue.Copy;
import io.segue.Group;
import io.segue.InputPartition;
import io.segue.Member;
import io.segue.Role;
import io.segue.Task;

/**
 * What Kafka Streams tells its assignor, as a group; and the way back from names. A process is a member, its stream
 * threads are the capacity. A task is stateful when it has a changelog: only then there is something to replay.
 */
final class StreamsGroup {
    private static final String NO_RACKS = "none";

    private final Group group;
    private final Map<String, TaskId> tasks = new HashMap<>();
    private final Map<String, ProcessId> processes = new HashMap<>();
    private final Map<ProcessId, KafkaStreamsState> states;

    private StreamsGroup(ApplicationState application, long nowMs) {
        states = new TreeMap<>(application.kafkaStreamsStates(true));
        boolean racks = !NO_RACKS.equals(application.assignmentConfigs().rackAwareAssignmentStrategy());
        Set<TaskId> stateful = statefulTasks(states);
        CopyRoles roles = new CopyRoles(states, stateful, application.assignmentConfigs().numStandbyReplicas());
        Group.Builder builder =
                Group.builder().nowMs(nowMs).tagKeys(application.assignmentConfigs().rackAwareAssignmentTags());
        new TreeMap<>(application.allTasks()).values().forEach(task -> {
            tasks.put(task.id().toString(), task.id());
            builder.task(task(task, stateful.contains(task.id()), racks));
        });
        states.values().forEach(state -> {
            processes.put(state.processId().toString(), state.processId());
            builder.member(member(state, roles));
        });
        group = builder.build();
    }

    static StreamsGroup of(ApplicationState application, long nowMs) {
        return new StreamsGroup(application, nowMs);
    }

    Group group() {
        return group;
    }

    int taskCount() {
        return tasks.size();
    }

    int processCount() {
        return processes.size();
    }

    TaskId task(String id) {
        return tasks.get(id);
    }

    ProcessId process(String id) {
        return processes.get(id);
    }

    /** What a process claims to own, but for tasks that are gone. */
    Set<TaskId> owned(ProcessId process) {
        Set<TaskId> owned = new TreeSet<>(states.get(process).previousActiveTasks());
        owned.removeIf(task -> !tasks.containsKey(task.toString()));
        return owned;
    }

    private static Set<TaskId> statefulTasks(Map<ProcessId, KafkaStreamsState> states) {
        Set<TaskId> stateful = new TreeSet<>();
        states.values().forEach(state -> stateful.addAll(state.statefulTasksToLagSums().keySet()));
        return stateful;
    }

    private static Task task(TaskInfo info, boolean stateful, boolean racks) {
        TaskId id = info.id();
        String subtopology = id.topologyName() == null
                ? String.valueOf(id.subtopology())
                : id.topologyName() + "__" + id.subtopology();
        Task task = stateful ? Task.stateful(subtopology, id.partition()) : Task.stateless(subtopology, id.partition());
        return racks ? task.withInputs(inputs(info)) : task;
    }

    /** Asking for racks makes Kafka Streams ask the cluster, so it is done only where racks count. */
    private static List<InputPartition> inputs(TaskInfo info) {
        List<InputPartition> inputs = new ArrayList<>();
        for (TaskTopicPartition partition : info.topicPartitions()) {
            if (partition.isSource()) {
                inputs.add(new InputPartition(partition.topicPartition().topic(), partition.topicPartition().partition(),
                        partition.rackIds().orElse(Set.of())));
            }
        }
        return inputs;
    }

    private static Member member(KafkaStreamsState state, CopyRoles roles) {
        Member.Builder member = Member.builder(state.processId().toString())
                .threads(state.numProcessingThreads())
                .tags(state.clientTags());
        state.rackId().ifPresent(member::rack);
        state.previousActiveTasks().forEach(task -> member.copy(owned(state, task)));
        state.previousStandbyTasks().forEach(task -> roles.of(state.processId(), task)
                .ifPresent(role -> member.copy(new Copy(task.toString(), role, Lags.of(state, task)))));
        return member.build();
    }

    private static Copy owned(KafkaStreamsState state, TaskId task) {
        Optional<Long> sum = Optional.ofNullable(state.statefulTasksToLagSums().get(task));
        return sum.isEmpty()
                ? Copy.of(task.toString(), Role.ACTIVE)
                : new Copy(task.toString(), Role.ACTIVE, Lags.of(state, task));
    }
}
