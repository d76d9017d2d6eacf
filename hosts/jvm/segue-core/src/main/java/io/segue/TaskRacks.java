// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.util.Map;
import java.util.TreeMap;

/** For each task, how many of its inputs have a replica in which rack. */
final class TaskRacks {
    private final int[] start;
    private final int[] rack;
    private final int[] inputs;
    private final boolean known;

    TaskRacks(CanonicalGroup rows) {
        Map<String, Integer> handles = CanonicalGroup.handles(rows.racks);
        start = new int[rows.tasks.size() + 1];
        IntColumn rackColumn = new IntColumn();
        IntColumn inputColumn = new IntColumn();
        for (int task = 0; task < rows.tasks.size(); task++) {
            counts(rows.tasks.get(task), handles).forEach((handle, count) -> {
                rackColumn.add(handle);
                inputColumn.add(count);
            });
            start[task + 1] = rackColumn.size();
        }
        rack = rackColumn.toArray();
        inputs = inputColumn.toArray();
        known = rows.tasks.stream().anyMatch(task -> !task.inputs().isEmpty());
    }

    private static Map<Integer, Integer> counts(Task task, Map<String, Integer> handles) {
        Map<Integer, Integer> counts = new TreeMap<>();
        for (InputPartition input : task.inputs()) {
            input.racks().forEach(name -> counts.merge(handles.get(name), 1, Integer::sum));
        }
        return counts;
    }

    boolean known() {
        return known;
    }

    int count() {
        return known ? rack.length : 0;
    }

    int[] start() {
        return start;
    }

    int[] rack() {
        return rack;
    }

    int[] inputs() {
        return inputs;
    }
}
