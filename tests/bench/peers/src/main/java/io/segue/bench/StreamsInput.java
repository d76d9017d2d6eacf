// SPDX-License-Identifier: Apache-2.0
package io.segue.bench;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.UUID;

import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.assignment.AssignmentConfigs;
import org.apache.kafka.streams.processor.assignment.ProcessId;

/** What Kafka Streams' assignors have in common: tasks, processes, configuration, lags. */
final class StreamsInput {
    /** Records in the changelog of each task: the lag without a copy. */
    static final long CHANGELOG = 100_000;

    /** How Kafka says that a task runs there. */
    static final long RUNS_THERE = -2;

    final Work work;
    final TaskId[] tasks;
    final Map<TaskId, Integer> numbers = new HashMap<>();
    final AssignmentConfigs configs;

    StreamsInput(Work work) {
        this.work = work;
        tasks = new TaskId[work.tasks()];
        for (int task = 0; task < tasks.length; task++) {
            tasks[task] = new TaskId(work.topic(task), work.partition(task));
            numbers.put(tasks[task], task);
        }
        configs = new AssignmentConfigs(10_000, 2, work.standbys(), 600_000, List.of(), OptionalInt.empty(),
                OptionalInt.empty(), "none");
    }

    /** Processes are in the order of members. */
    static ProcessId process(int member) {
        return new ProcessId(new UUID(0, member));
    }
}
