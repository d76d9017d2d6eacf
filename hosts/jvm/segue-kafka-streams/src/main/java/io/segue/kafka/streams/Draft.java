// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * What one stream thread has computed as the group's leader, until that round ends on it. It goes through the
 * consumer's configuration, which is the one thing that reaches from a client supplier to the assignor. Safe from any
 * thread.
 */
final class Draft {
    /** Kafka's own objects in there are called like this as well; it is none of the application's keys. */
    static final String KEY = "__segue.draft__";

    private final AtomicReference<LedRound> round = new AtomicReference<>();

    static Optional<Draft> in(Map<String, ?> config) {
        return config.get(KEY) instanceof Draft draft ? Optional.of(draft) : Optional.empty();
    }

    void put(LedRound computed) {
        round.set(computed);
    }

    Optional<LedRound> take() {
        return Optional.ofNullable(round.getAndSet(null));
    }
}
