// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.OptionalLong;

import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsState;

/**
 * How far a process is behind on a task, in records over all stores of the task. Kafka Streams says -2 for a task that
 * runs there, and -3 when it could not find out.
 */
final class Lags {
    private static final long RUNS_THERE = -2;

    private Lags() {}

    static OptionalLong of(KafkaStreamsState state, TaskId task) {
        Long sum = state.statefulTasksToLagSums().get(task);
        if (sum == null || sum < RUNS_THERE || sum == -1) {
            return OptionalLong.empty();
        }
        return OptionalLong.of(Math.max(0, sum));
    }
}
