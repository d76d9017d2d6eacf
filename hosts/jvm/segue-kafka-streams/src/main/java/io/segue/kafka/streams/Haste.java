// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.time.Duration;

/**
 * Short polls while a hand-over is under way. Kafka Streams looks up from a poll three times between giving a task
 * up and running it elsewhere, and each poll waits a tenth of a second for records that cannot come, because nobody
 * owns the task meanwhile. Safe from any thread.
 */
final class Haste {
    private static final Duration SHORT = Duration.ofMillis(5);

    private volatile long until = Long.MIN_VALUE;

    synchronized void during(long now, long ms) {
        until = Math.max(until, now + ms);
    }

    /** @param arguments of {@code poll}; its timeout is replaced where it is longer than it should be now */
    void shorten(Object[] arguments, long now) {
        if (now < until && arguments[0] instanceof Duration timeout && timeout.compareTo(SHORT) > 0) {
            arguments[0] = SHORT;
        }
    }
}
