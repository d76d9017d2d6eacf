// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** A rebalance that somebody off the stream threads wants; the next poll asks for it. Safe from any thread. */
final class Wanted {
    private final AtomicReference<String> reason = new AtomicReference<>();

    void ask(String why) {
        reason.set(why);
    }

    Optional<String> take() {
        return reason.get() == null ? Optional.empty() : Optional.ofNullable(reason.getAndSet(null));
    }
}
