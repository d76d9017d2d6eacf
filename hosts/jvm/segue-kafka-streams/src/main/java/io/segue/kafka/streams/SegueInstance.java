// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

import io.segue.Recorded;

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
 * <p>A swap tells the whole application to be assigned by another assignor, with no restart: the next rebalance uses it,
 * and whoever leads asks for one at once. An instance that does not have it goes on with its own, and says so.
 *
 * <pre>{@code
 * Segue.of(streams).swap("balanced").get();
 * }</pre>
 *
 * <p>Thread: any. Blocking: never; the answers are futures. A mark outlives the process: one that is killed half way
 * goes on with its drain when it comes back, unless the deadline is over by then.
 *
 * @since 2.0
 */
public final class SegueInstance {
    private final Choice configured;
    private volatile Optional<Attendant> attendant = Optional.empty();
    private volatile Optional<ApiServer> server = Optional.empty();
    private volatile String why = "the instance is not started";

    /** @param configured the assignor that its configuration names */
    SegueInstance(String configured) {
        this.configured = new Choice(configured, configured, Optional.empty());
    }

    void started(Attendant started) {
        attendant = Optional.of(started);
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
        return required("be drained").drain(timeout, stay, new CompletableFuture<>());
    }

    CompletableFuture<DrainState> mark(Optional<Duration> timeout, boolean stay) {
        CompletableFuture<DrainState> marked = new CompletableFuture<>();
        required("be drained").drain(timeout, stay, marked);
        return marked;
    }

    /**
     * Takes the mark back; what has moved comes back only where the balance wants it to.
     *
     * @return whether there was a mark
     * @throws IllegalStateException if it cannot be drained
     */
    public CompletableFuture<Boolean> cancelDrain() {
        return required("be drained").cancel();
    }

    /** What it is at. */
    public DrainState drainState() {
        return attendant.map(Attendant::state)
                .orElseGet(() -> DrainState.of(DrainState.Phase.RUNNING, Optional.empty(), 0));
    }

    /**
     * Tells the whole application to be assigned by another assignor from now on. The wish stands, for new instances too,
     * until it is taken back or replaced.
     *
     * @param assignor its name; known here, and to be known wherever somebody may lead
     * @return completes with the name when the leader has used it. Fails with an {@link IllegalArgumentException} if there is no
     *     such assignor here, naming the nearest one; with an {@link IllegalStateException} if the leader does not have
     *     it, or a right is missing; with a {@link java.util.concurrent.TimeoutException} after two minutes. But for
     *     the first and the missing right the wish stands all the same
     * @throws IllegalStateException if the instance is not started, or not assigned by segue
     */
    public CompletableFuture<String> swap(String assignor) {
        Attendant running = required("swap");
        return running.swap(assignor);
    }

    /**
     * Takes the wish back, so that each instance goes by its configuration again.
     *
     * @return completes with the name of the assignor that the leader has used since; fails as {@link #swap} does
     * @throws IllegalStateException if the instance is not started, or not assigned by segue
     */
    public CompletableFuture<String> swapBack() {
        return required("swap").swapBack();
    }

    /** The assignor that it would ask if it led now; empty if it is not assigned by segue. */
    public String assignor() {
        return choice().assignor();
    }

    Choice choice() {
        return attendant.map(Attendant::choice).orElse(configured);
    }

    /** The last rebalance in which it took part, if it was the leader of that. */
    public Optional<Led> led() {
        return attendant.flatMap(Attendant::led);
    }

    /** The same as a whole, as a frame of a record; empty as well where it led without a plan. */
    Optional<byte[]> lastRebalance() {
        return attendant.flatMap(Attendant::recorded).map(Recorded::frame);
    }

    /** Where HTTP is served; empty unless {@code segue.http.port} is set and the instance runs. */
    public OptionalInt httpPort() {
        return server.map(running -> OptionalInt.of(running.port())).orElse(OptionalInt.empty());
    }

    private Attendant required(String what) {
        return attendant.orElseThrow(() -> new IllegalStateException("cannot " + what + ": " + why));
    }
}
