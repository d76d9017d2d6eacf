// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

/** The longest time between two signs of life of one partition. Not thread-safe. */
final class Silence {
    private long last = Millis.now();
    private long longest;

    /** Forgets earlier silences, but not that one is going on. */
    void restart() {
        longest = 0;
    }

    /** @return the silence that ends here, in milliseconds */
    long heard(long now) {
        long silence = now - last;
        longest = Math.max(longest, silence);
        last = now;
        return silence;
    }

    long longest(long now) {
        return Math.max(longest, now - last);
    }

    long sinceLast(long now) {
        return now - last;
    }
}
