// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** How much longer than it should a short wait takes here, at the worst: what a busy machine adds to every time-out. */
final class Stalls implements AutoCloseable {
    private static final long NAP_NANOS = 2_000_000;

    private final AtomicLong longest = new AtomicLong();
    private final Thread thread = new Thread(this::watch, "stalls");
    private volatile boolean ended;

    Stalls() {
        thread.setDaemon(true);
        thread.start();
    }

    long longestMs() {
        return longest.get() / 1_000_000;
    }

    private void watch() {
        while (!ended) {
            long began = System.nanoTime();
            LockSupport.parkNanos(NAP_NANOS);
            long over = System.nanoTime() - began - NAP_NANOS;
            longest.accumulateAndGet(over, Math::max);
        }
    }

    @Override
    public void close() {
        ended = true;
    }
}
