// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.Optional;

import io.segue.Recorded;

/**
 * Whether this instance led the last rebalance in which it took part. Each of its stream threads tells of the rounds
 * that end on it, in any order; the group's generation says which of them are the same. Safe from any thread.
 */
final class Leadership {
    private Optional<LedRound> last = Optional.empty();
    private int generation = -1;

    /** A round has ended here that one of this instance's threads computed. */
    synchronized void led(int ofGeneration, LedRound what) {
        generation = ofGeneration;
        last = Optional.of(what);
    }

    /** A round has ended on a thread that did not compute it; a sibling may have. */
    synchronized void followed(int ofGeneration) {
        if (ofGeneration != generation) {
            last = Optional.empty();
        }
    }

    /** Empty where somebody else led it. */
    synchronized Optional<Led> last() {
        return last.map(LedRound::led);
    }

    /** As a whole; empty as well where it led without a plan. */
    synchronized Optional<Recorded> recorded() {
        return last.flatMap(LedRound::recorded);
    }
}
