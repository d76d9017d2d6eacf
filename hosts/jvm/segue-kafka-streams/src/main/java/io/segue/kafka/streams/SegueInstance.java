// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

/**
 * One running Kafka Streams instance, as segue sees it; from {@link Segue#of}.
 *
 * <p>A drain marks the instance as leaving: the others build copies of what it serves while it goes on serving, take
 * each task over when its copy has caught up, and when nothing is left it leaves the group and closes. Whatever is left
 * at the deadline is forced to the best copy there is.
 *
 * <pre>{@code
 * DrainResult result = Segue.of(streams).drain(Duration.ofMinutes(10)).get();
 * }</pre>
 *
 * <p>Thread: any. Blocking: never; the answers are futures. A mark outlives the process: one that is killed half way
 * goes on with its drain when it comes back, unless the deadline is over by then.
 *
 * @since 2.0
 */
public final class SegueInstance {
    private volatile Optional<Drainer> drainer = Optional.empty();
    private volatile Optional<ApiServer> server = Optional.empty();
    private volatile String why = "the instance is not started";

    SegueInstance() {}

    void started(Drainer started) {
        drainer = Optional.of(started);
    }

    void serves(Optional<ApiServer> started) {
        server = started;
    }

    void cannot(String reason) {
        why = reason;
    }

    /**
     * Marks this instance as leaving; when it is empty it leaves the group and closes. Of an instance that is marked
     * already the deadline changes.
     *
     * @param timeout after which its tasks are forced away
     * @throws IllegalStateException if it cannot be drained: it is not started, or its assignor heeds no marks
     */
    public Drain drain(Duration timeout) {
        return drain(Optional.of(timeout), false);
    }

    /** The same with no other deadline than {@code scale.down.timeout.ms}, if that is set. */
    public Drain drain() {
        return drain(Optional.empty(), false);
    }

    /** The same, but the empty instance stays in the group and holds nothing until it is closed. */
    public Drain drainAndStay(Duration timeout) {
        return drain(Optional.of(timeout), true);
    }

    private Drain drain(Optional<Duration> timeout, boolean stay) {
        return required().drain(timeout, stay, new CompletableFuture<>());
    }

    CompletableFuture<DrainState> mark(Optional<Duration> timeout, boolean stay) {
        CompletableFuture<DrainState> marked = new CompletableFuture<>();
        required().drain(timeout, stay, marked);
        return marked;
    }

    /**
     * Takes the mark back; what has moved comes back only where the balance wants it to.
     *
     * @return whether there was a mark
     * @throws IllegalStateException if it cannot be drained
     */
    public CompletableFuture<Boolean> cancelDrain() {
        return required().cancel();
    }

    /** What it is at. */
    public DrainState drainState() {
        return drainer.map(Drainer::state)
                .orElseGet(() -> DrainState.of(DrainState.Phase.RUNNING, Optional.empty(), 0));
    }

    /** Where HTTP is served; empty unless {@code segue.http.port} is set and the instance runs. */
    public OptionalInt httpPort() {
        return server.map(running -> OptionalInt.of(running.port())).orElse(OptionalInt.empty());
    }

    private Drainer required() {
        return drainer.orElseThrow(() -> new IllegalStateException("cannot be drained: " + why));
    }
}
