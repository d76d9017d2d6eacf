// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;

/** Those who wait until the leader has heeded a swap. For one thread. */
final class Confirmations {
    static final long LONGEST_MS = 120_000;

    private final List<Waiting> waiting = new ArrayList<>();

    /** @param name what is wished for; empty for what the leader has configured */
    private record Waiting(Optional<String> name, long until, CompletableFuture<String> heeded) {}

    void add(Optional<String> name, long now, CompletableFuture<String> heeded) {
        waiting.add(new Waiting(name, now + LONGEST_MS, heeded));
    }

    /** Whether anybody waits; only then the leader has to be looked for. */
    boolean any() {
        waiting.removeIf(each -> each.heeded().isDone());
        return !waiting.isEmpty();
    }

    void look(Optional<Seen> leader, long now) {
        waiting.forEach(each -> look(each, leader, now));
    }

    private static void look(Waiting each, Optional<Seen> leader, long now) {
        if (leader.isPresent() && heeds(leader.get(), each.name())) {
            end(() -> each.heeded().complete(leader.get().assignor()), each);
        } else if (leader.isPresent() && each.name().isPresent() && leader.get().refused().equals(each.name())) {
            fail(each, new IllegalStateException("the leader " + leader.get().clientId() + " has no assignor "
                    + each.name().get() + (leader.get().offered().isEmpty()
                            ? ""
                            : ", but " + String.join(", ", leader.get().offered()))
                    + ": it goes on with " + leader.get().assignor() + "; the wish stands for a leader that has it"));
        } else if (now >= each.until()) {
            fail(each, new TimeoutException("within " + LONGEST_MS / 1000 + " s " + leader
                    .map(seen -> "the leader " + seen.clientId() + " has not used it, but " + seen.ledAssignor())
                    .orElse("nobody has said that it leads") + "; the wish stands"));
        }
    }

    /** It knows of the wish, and has computed a rebalance since. */
    private static boolean heeds(Seen leader, Optional<String> name) {
        boolean knows = name.isPresent()
                ? leader.assignor().equals(name.get())
                : leader.refused().isEmpty() && leader.assignor().equals(leader.configured());
        return knows && leader.ledAssignor().equals(leader.assignor());
    }

    /** The instance is closing. */
    void close() {
        waiting.forEach(each -> fail(each, new IllegalStateException(
                "this instance was closed before the leader had heeded it; the wish stands")));
    }

    private static void fail(Waiting each, Exception why) {
        end(() -> each.heeded().completeExceptionally(why), each);
    }

    /** Elsewhere: what the application does then may be to close the instance, which needs this thread. */
    private static void end(Runnable completion, Waiting each) {
        each.heeded().defaultExecutor().execute(completion);
    }
}
