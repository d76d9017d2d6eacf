// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.Optional;

import org.apache.kafka.streams.processor.TaskId;

/**
 * How far one store's copy is behind, and how fast it comes nearer.
 *
 * @param task the task it belongs to; unknown until the first batch is loaded
 * @param firstLag its first known lag
 * @param firstAt when that was
 * @param lag its newest known lag, {@link #UNKNOWN} before the first
 * @param at when that was
 */
record Changelog(Optional<TaskId> task, long firstLag, long firstAt, long lag, long at) {
    static final long UNKNOWN = Long.MAX_VALUE;

    static Changelog started(long now) {
        return new Changelog(Optional.empty(), UNKNOWN, now, UNKNOWN, now);
    }

    boolean known() {
        return lag != UNKNOWN;
    }

    Changelog of(TaskId owner) {
        return new Changelog(Optional.of(owner), firstLag, firstAt, lag, at);
    }

    Changelog behind(long newLag, long now) {
        return known()
                ? new Changelog(task, firstLag, firstAt, newLag, now)
                : new Changelog(task, newLag, now, newLag, now);
    }
}
