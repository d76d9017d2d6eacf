// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.assignment.ApplicationState;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsAssignment;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsAssignment.AssignedTask;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsAssignment.AssignedTask.Type;
import org.apache.kafka.streams.processor.assignment.ProcessId;
import org.apache.kafka.streams.processor.assignment.TaskAssignor.TaskAssignment;

/**
 * The assignment for the case that there is no plan: owners keep, a task without one goes to its nearest copy, else to
 * the process with the fewest tasks for its threads, and the nearest copies stay as the standbys that are wanted. The
 * one place where Java decides who gets a task, because it is there for the case that nothing native can.
 */
final class KeepOwners {
    private final Map<ProcessId, ProcessView> views;
    private final Map<ProcessId, Map<TaskId, AssignedTask>> held = new TreeMap<>();

    private KeepOwners(Map<ProcessId, ProcessView> views) {
        this.views = views;
        views.keySet().forEach(process -> held.put(process, new HashMap<>()));
    }

    static TaskAssignment of(ApplicationState application) {
        KeepOwners keep = start(application);
        Set<TaskId> tasks = new TreeSet<>(application.allTasks().keySet());
        tasks.forEach(keep::keep);
        tasks.stream().filter(task -> keep.owner(task).isEmpty()).forEach(keep::place);
        tasks.stream()
                .filter(task -> application.allTasks().get(task).isStateful())
                .forEach(task -> keep.stand(task, application.assignmentConfigs().numStandbyReplicas()));
        return keep.assignment();
    }

    /** Without lags if even they are what failed. */
    private static KeepOwners start(ApplicationState application) {
        try {
            return new KeepOwners(ProcessView.all(application));
        } catch (RuntimeException fault) {
            return new KeepOwners(ProcessView.allWithoutLags(application));
        }
    }

    private void keep(TaskId task) {
        views.values().stream()
                .filter(view -> view.owned().contains(task))
                .min(Comparator.comparingLong(view -> view.distance(task)))
                .ifPresent(view -> give(view.id(), task, Type.ACTIVE));
    }

    private void place(TaskId task) {
        views.values().stream()
                .min(Comparator.comparing((ProcessView view) -> !view.held().contains(task))
                        .thenComparingLong(view -> view.held().contains(task) ? view.distance(task) : 0)
                        .thenComparingDouble(this::load))
                .ifPresent(view -> give(view.id(), task, Type.ACTIVE));
    }

    private void stand(TaskId task, int wanted) {
        views.values().stream()
                .filter(view -> view.held().contains(task) && !held.get(view.id()).containsKey(task))
                .sorted(Comparator.comparingLong(view -> view.distance(task)))
                .limit(wanted)
                .toList()
                .forEach(view -> give(view.id(), task, Type.STANDBY));
    }

    private Optional<ProcessId> owner(TaskId task) {
        return held.entrySet().stream()
                .filter(entry -> entry.getValue().containsKey(task))
                .map(Map.Entry::getKey)
                .findFirst();
    }

    private void give(ProcessId process, TaskId task, Type type) {
        held.get(process).put(task, new AssignedTask(task, type));
    }

    private double load(ProcessView view) {
        return (double) held.get(view.id()).size() / Math.max(1, view.threads());
    }

    private TaskAssignment assignment() {
        return new TaskAssignment(held.entrySet().stream()
                .map(entry -> KafkaStreamsAssignment.of(entry.getKey(), new HashSet<>(entry.getValue().values())))
                .toList());
    }
}
