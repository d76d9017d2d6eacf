// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;


/** The rebalances that have ended on this instance. Safe from any thread. */
final class Rounds {
    private long ended;
    private long lastAt;

    /** @param lastAt of the monotonic clock, in milliseconds */
    record Seen(long ended, long lastAt) {}

    synchronized void end(long now) {
        ended++;
        lastAt = now;
    }

    synchronized Seen seen() {
        return new Seen(ended, lastAt);
    }
}
