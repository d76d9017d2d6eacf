// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for a condition, never longer than a deadline, and ends at once when something else has failed. */
record Await(Faults faults) {
    private static final long POLL_MS = 20;

    /**
     * @param what what is awaited, for the error text
     * @param state what is there instead, asked only when the deadline has passed
     */
    void until(String what, Duration deadline, Supplier<String> state, BooleanSupplier condition) {
        long end = Millis.now() + deadline.toMillis();
        while (!condition.getAsBoolean()) {
            faults.check();
            if (Millis.now() > end) {
                throw new DemoException("waited " + deadline.toSeconds() + " s for " + what + "; " + state.get());
            }
            pause();
        }
        faults.check();
    }

    private static void pause() {
        try {
            Thread.sleep(POLL_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DemoException("interrupted");
        }
    }
}
