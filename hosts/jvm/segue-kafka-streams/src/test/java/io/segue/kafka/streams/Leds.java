// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.time.Instant;
import java.util.Optional;

/** Rebalances that somebody led. */
final class Leds {
    private Leds() {
    }

    static LedRound round(String assignor) {
        return new LedRound(by(assignor), Optional.empty());
    }

    static Led by(String assignor) {
        return new Led(Instant.ofEpochMilli(1000), assignor, "segue-assignors", "1.0.0", Optional.empty(), 8, 3, 2, 4, 1,
                Optional.empty(), Optional.of("learners-restoring"));
    }
}
