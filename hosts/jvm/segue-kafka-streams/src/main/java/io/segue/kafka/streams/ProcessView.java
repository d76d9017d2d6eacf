// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.Map;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.assignment.ApplicationState;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsState;
import org.apache.kafka.streams.processor.assignment.ProcessId;

/**
 * What a process reports, asked once: Kafka Streams makes a new map of all lags at every question.
 *
 * @param state the rest of it
 * @param owned tasks that it owns, running or restoring
 * @param held tasks that it has state of and does not own, followed or not
 * @param lagSums for each stateful task of the application, whether it is held or not: records over all stores that
 *     are still to be replayed, -2 for a task that runs there, -3 when Kafka Streams could not find out
 */
record ProcessView(
        KafkaStreamsState state, SortedSet<TaskId> owned, SortedSet<TaskId> held, Map<TaskId, Long> lagSums) {
    private static final long RUNS_THERE = -2;

    /** By process id. */
    static SortedMap<ProcessId, ProcessView> all(ApplicationState application) {
        return all(application, true);
    }

    /** The same without lags. */
    static SortedMap<ProcessId, ProcessView> allWithoutLags(ApplicationState application) {
        return all(application, false);
    }

    private static SortedMap<ProcessId, ProcessView> all(ApplicationState application, boolean lags) {
        SortedMap<ProcessId, ProcessView> all = new TreeMap<>();
        application.kafkaStreamsStates(lags).forEach((id, state) -> all.put(id, new ProcessView(
                state, state.previousActiveTasks(), state.previousStandbyTasks(),
                lags ? state.statefulTasksToLagSums() : Map.of())));
        return all;
    }

    ProcessId id() {
        return state.processId();
    }

    int threads() {
        return state.numProcessingThreads();
    }

    /** Records still to be replayed; empty when nobody knows. */
    OptionalLong lag(TaskId task) {
        long sum = lagSums.getOrDefault(task, -1L);
        if (sum == RUNS_THERE) {
            return OptionalLong.of(0);
        }
        return sum < 0 ? OptionalLong.empty() : OptionalLong.of(sum);
    }

    /** The same for comparing: unknown is farther than anything. */
    long distance(TaskId task) {
        return lag(task).orElse(Long.MAX_VALUE);
    }
}
