// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** A group with its rows in canonical order, and the handle of each name. */
final class CanonicalGroup {
    final Group group;
    final List<String> subtopologies;
    final List<Task> tasks;
    final List<Member> members;
    final List<String> processes;
    final List<String> racks;
    final Map<String, Integer> taskHandles;

    CanonicalGroup(Group group) {
        this.group = group;
        subtopologies = group.tasks().stream()
                .map(Task::subtopology)
                .distinct()
                .sorted(CanonicalOrder.SUBTOPOLOGIES)
                .toList();
        tasks = sortedTasks(handles(subtopologies));
        members = group.members().stream()
                .sorted(Comparator.comparing(Member::id, CanonicalOrder.BYTES))
                .toList();
        processes = members.stream().map(Member::process).distinct().toList();
        racks = sortedRacks();
        taskHandles = handles(tasks.stream().map(Task::id).toList());
    }

    static Map<String, Integer> handles(List<String> names) {
        Map<String, Integer> handles = new HashMap<>(names.size() * 2);
        names.forEach(name -> handles.put(name, handles.size()));
        return handles;
    }

    private List<Task> sortedTasks(Map<String, Integer> subtopologyHandles) {
        List<Task> sorted = new ArrayList<>(group.tasks());
        sorted.sort(Comparator.comparingInt((Task task) -> subtopologyHandles.get(task.subtopology()))
                .thenComparingInt(Task::partition));
        return sorted;
    }

    private List<String> sortedRacks() {
        TreeSet<String> names = new TreeSet<>(CanonicalOrder.BYTES);
        members.forEach(member -> member.rack().ifPresent(names::add));
        tasks.forEach(task -> task.inputs().forEach(input -> names.addAll(input.racks())));
        return List.copyOf(names);
    }
}
