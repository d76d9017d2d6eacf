// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.assignment.ApplicationState;
import org.apache.kafka.streams.processor.assignment.ProcessId;
import org.apache.kafka.streams.processor.assignment.TaskInfo;
import org.apache.kafka.streams.processor.assignment.TaskTopicPartition;

import io.segue.Copy;
import io.segue.Group;
import io.segue.InputPartition;
import io.segue.Leaving;
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
    private final Map<ProcessId, ProcessView> views;
    private final Set<ProcessId> leaving;
    private final Set<TaskId> stateful;

    private StreamsGroup(ApplicationState application, long nowMs, Map<ProcessId, Leaving> marked) {
        views = ProcessView.all(application);
        leaving = marked.keySet();
        boolean racks = !NO_RACKS.equals(application.assignmentConfigs().rackAwareAssignmentStrategy());
        stateful = statefulTasks(views);
        CopyRoles roles = new CopyRoles(
                views, stateful, application.assignmentConfigs(), leaving);
        Group.Builder builder =
                Group.builder().nowMs(nowMs).tagKeys(application.assignmentConfigs().rackAwareAssignmentTags());
        new TreeMap<>(application.allTasks()).values().forEach(task -> {
            tasks.put(task.id().toString(), task.id());
            builder.task(task(task, stateful.contains(task.id()), racks));
        });
        views.values().forEach(view -> {
            processes.put(view.id().toString(), view.id());
            builder.member(member(view, roles, Optional.ofNullable(marked.get(view.id()))));
        });
        group = builder.build();
    }

    static StreamsGroup of(ApplicationState application, long nowMs, Map<ProcessId, Leaving> leaving) {
        return new StreamsGroup(application, nowMs, leaving);
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
        Set<TaskId> owned = new TreeSet<>(views.get(process).owned());
        owned.removeIf(task -> !tasks.containsKey(task.toString()));
        return owned;
    }

    boolean isLeaving(ProcessId process) {
        return leaving.contains(process);
    }

    boolean isStateful(TaskId task) {
        return stateful.contains(task);
    }

    private static Set<TaskId> statefulTasks(Map<ProcessId, ProcessView> views) {
        Set<TaskId> stateful = new HashSet<>();
        views.values().forEach(view -> stateful.addAll(view.lagSums().keySet()));
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

    private static Member member(ProcessView view, CopyRoles roles, Optional<Leaving> leaving) {
        Member.Builder member = Member.builder(view.id().toString())
                .threads(view.threads())
                .tags(view.state().clientTags());
        view.state().rackId().ifPresent(member::rack);
        leaving.ifPresent(member::leaving);
        view.owned().forEach(task -> member.copy(owned(view, task)));
        view.held().forEach(task -> roles.of(view.id(), task)
                .ifPresent(role -> member.copy(new Copy(task.toString(), role, view.lag(task)))));
        return member.build();
    }

    private static Copy owned(ProcessView view, TaskId task) {
        return view.lagSums().containsKey(task)
                ? new Copy(task.toString(), Role.ACTIVE, view.lag(task))
                : Copy.of(task.toString(), Role.ACTIVE);
    }
}
