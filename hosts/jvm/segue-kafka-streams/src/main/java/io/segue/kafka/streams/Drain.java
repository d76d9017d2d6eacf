// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * A drain under way. It completes when the instance is empty and has left, when its deadline has passed and the rest
 * was forced away, or when it was cancelled; exceptionally when the mark could not be written. Cancelling this future
 * stops the waiting, not the drain: that is {@link SegueInstance#cancelDrain()}.
 *
 * <p>Thread: any.
 *
 * @since 2.0
 */
public final class Drain extends CompletableFuture<DrainResult> {
    private final Supplier<DrainState> state;

    Drain(Supplier<DrainState> state) {
        this.state = state;
    }

    /** How far it is. Never blocks. */
    public DrainState progress() {
        return state.get();
    }
}
