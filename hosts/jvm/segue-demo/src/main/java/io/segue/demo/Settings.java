// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.time.Duration;
import java.util.List;

/**
 * What the person asked for.
 *
 * @param partitions input partitions, so tasks
 * @param stateMb payload bytes held in state over all partitions, in MiB
 * @param rate records per second and partition
 * @param restoreDelayUs added to each restored record, to play a larger state
 * @param deadlineSeconds the longest any one step may take
 * @param ways in which the last instance is taken away again, one after the other
 */
record Settings(
        int partitions,
        int stateMb,
        int payloadBytes,
        int rate,
        int instances,
        int threads,
        boolean exactlyOnce,
        int heartbeatMs,
        int restoreDelayUs,
        long recoveryLag,
        long seed,
        int deadlineSeconds,
        List<Exit> ways) {

    int keysPerPartition() {
        return (int) Math.max(1, (long) stateMb * 1024 * 1024 / payloadBytes / partitions);
    }

    long preloaded() {
        return (long) keysPerPartition() * partitions;
    }

    Duration deadline() {
        return Duration.ofSeconds(deadlineSeconds);
    }

    String guarantee() {
        return exactlyOnce ? "exactly_once_v2" : "at_least_once";
    }
}
