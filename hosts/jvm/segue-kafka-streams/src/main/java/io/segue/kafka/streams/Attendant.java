// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.segue.Recorded;

/**
 * Looks after one Kafka Streams instance: reads what is said to it, publishes what it is at, has it drained or swapped,
 * and cleans up when it has ended. One daemon thread, which does all of that at an interval; every method may be called
 * from any thread, and none but {@link #awaitEnd} blocks.
 */
final class Attendant {
    /** As long as the broker is there, cleaning up takes some milliseconds. */
    static final Duration LONGEST_END = Duration.ofSeconds(3);

    private static final Logger LOG = LoggerFactory.getLogger(Attendant.class);
    private static final Duration LEAVING = Duration.ofSeconds(30);
    /** For a request. Nobody waits for it that long, and there is no second try. */
    private static final Duration CLEANING = Duration.ofSeconds(20);

    private final LocalInstance local;
    private final Channel channel;
    private final Member member;
    private final Settings settings;
    private final Inbox inbox;
    private final OwnPresence presence;
    private final Drainer drainer;
    private final Swapper swapper;
    private final Offer offer;
    private final Confirmations confirmations = new Confirmations();
    private final Runnable onEnd;
    private final AttendantThread thread;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Thread exit = new Thread(this::beforeExit, "segue-exit");

    /**
     * @param own the assignor that is asked where none is wished for, and where others are found
     * @param onEnd called once, on the attendant's thread, when it has cleaned up
     */
    Attendant(
            LocalInstance local, Presence who, AssignorSettings own, Channel channel, Member member, Settings settings,
            Runnable onEnd) {
        this.local = local;
        this.channel = channel;
        this.member = member;
        this.settings = settings;
        this.onEnd = onEnd;
        this.offer = own.offer();
        inbox = new Inbox(channel.groups(), who.instance(), this::topics);
        presence = new OwnPresence(channel.groups(), who, this::topics);
        drainer = new Drainer(local, who, inbox.mark(), member, settings);
        swapper = new Swapper(inbox.swap(), own.assignor(), who.assignors(), member.leadership(), member.heartbeatMs());
        thread = new AttendantThread("segue-" + who.clientId(), new Complaints(channel.groups().prefix()));
    }

    void start() {
        thread.start(this::tick, settings.marksPollMs());
        try {
            Runtime.getRuntime().addShutdownHook(exit);
        } catch (IllegalStateException exiting) {
            LOG.trace("Started while the JVM ends", exiting);
        }
    }

    DrainState state() {
        return drainer.state();
    }

    /** The assignor that counts for this instance. */
    Choice choice() {
        return swapper.choice();
    }

    /** The last rebalance, where this instance led that. */
    Optional<Led> led() {
        return member.leadership().last();
    }

    /** The same as a whole. */
    Optional<Recorded> recorded() {
        return member.leadership().recorded();
    }

    /**
     * Marks this instance, or changes the deadline of its mark.
     *
     * @param marked completes when the mark stands
     * @throws IllegalStateException if the assignor heeds no marks
     */
    Drain drain(Optional<Duration> timeout, boolean stay, CompletableFuture<DrainState> marked) {
        requireMarks();
        Drain drain = drainer.begun(marked);
        submit(marked, () -> {
            inbox.look();
            drainer.mark(drain, timeout, stay);
            goOn(Set.of());
            return state();
        });
        return drain;
    }

    /** Takes the mark back; true if there was one. */
    CompletableFuture<Boolean> cancel() {
        requireMarks();
        CompletableFuture<Boolean> cancelled = new CompletableFuture<>();
        submit(cancelled, () -> {
            inbox.look();
            boolean was = inbox.mark().known().isPresent();
            inbox.mark().clear();
            goOn(Set.of());
            return was;
        });
        return cancelled;
    }

    private void requireMarks() {
        if (!choice().heedsMarks()) {
            throw new IllegalStateException("cannot be drained: the assignor " + choice().assignor()
                    + " heeds no marks; scale-down and balanced do (segue.assignor, or a swap)");
        }
    }

    /** Wishes for an assignor; completes when the leader uses it. */
    CompletableFuture<String> swap(String name) {
        try {
            offer.require(name);
        } catch (IllegalArgumentException unknown) {
            return CompletableFuture.failedFuture(unknown);
        }
        return wish(Optional.of(name), () -> inbox.swap().write(Swap.after(inbox.swap().known(), name, "an instance")));
    }

    /** Back to what is configured; completes when the leader uses that. */
    CompletableFuture<String> swapBack() {
        return wish(Optional.empty(), inbox.swap()::clear);
    }

    private CompletableFuture<String> wish(Optional<String> name, Change change) {
        CompletableFuture<String> heeded = new CompletableFuture<>();
        CompletableFuture<Void> written = new CompletableFuture<>();
        submit(written, () -> {
            inbox.look();
            change.make();
            confirmations.add(name, SegueClients.CLOCK.getAsLong(), heeded);
            goOn(Set.of());
            return null;
        });
        written.whenComplete((done, fault) -> {
            if (fault != null) {
                heeded.completeExceptionally(fault);
            }
        });
        return heeded;
    }

    /** What changes something in Kafka. */
    private interface Change {
        void make() throws ExecutionException, InterruptedException, TimeoutException;
    }

    private <T> void submit(CompletableFuture<T> result, AttendantThread.Work<T> work) {
        thread.submit(result, () -> {
            if (ended.getCount() == 0) {
                throw new IllegalStateException("this instance is closed");
            }
            return work.run();
        });
    }

    /** A fault here must end neither the thread nor the application. */
    private void tick() {
        try {
            if (local.ended()) {
                end();
                return;
            }
            Set<String> read = inbox.look();
            if (read.contains(inbox.mark().group())) {
                drainer.forgetOldMark(choice().heedsMarks());
            }
            goOn(read);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException | RuntimeException fault) {
            LOG.warn("Looking after this instance failed, and is tried again: {}", fault.toString(), fault);
        }
    }

    /** @param read the groups of which there is news from this moment */
    private void goOn(Set<String> read) throws ExecutionException, InterruptedException, TimeoutException {
        long now = SegueClients.CLOCK.getAsLong();
        swapper.next(now).ifPresent(member.wanted()::ask);
        DrainPolicy.Step step = drainer.next(choice().heedsMarks());
        publish();
        if (step == DrainPolicy.Step.LEAVE) {
            leave();
            return;
        }
        if (read.contains(inbox.swap().group())) {
            swapper.renew(now);
        }
        if (confirmations.any()) {
            confirmations.look(new Roster(channel.groups()).leader(System.currentTimeMillis()), now);
        }
    }

    private void publish() throws InterruptedException {
        List<Copy> copies = member.book().copies();
        boolean known = copies.stream().allMatch(copy -> copy.lag() != Changelog.UNKNOWN);
        presence.publish(new Presence.Now(
                state().phase(), state().tasksLeft(), copies.size(),
                (int) copies.stream().filter(copy -> copy.caughtUp(member.config().recoveryLag())).count(),
                known ? copies.stream().mapToLong(Copy::lag).sum() : -1,
                drainer.heeded(), choice(), led()), System.currentTimeMillis());
    }

    private void leave() throws InterruptedException {
        LOG.info("Empty; leaving the group and closing");
        drainer.stopping();
        publish();
        try {
            if (!local.leave(LEAVING)) {
                LOG.warn("Not closed within {} s; the closing goes on", LEAVING.toSeconds());
            }
        } catch (RuntimeException fault) {
            LOG.warn("Closed, but the group may have to wait for the session: {}", fault.toString(), fault);
        }
        end(true, drainer.ended());
    }

    /** It has to leave the group before its mark goes; else it would be given work again. */
    private void end() {
        boolean over = drainer.over();
        if (ended.getCount() > 0 && (!over || local.closed())) {
            end(over, DrainResult.INTERRUPTED);
        } else if (ended.getCount() == 0 && local.closed() && !thread.isClosed()) {
            thread.close();
            channel.close();
        }
    }

    /** A mark goes only with a drain that is over: what was closed half way goes on with it after a restart. */
    private void end(boolean over, DrainResult result) {
        drainer.stopping();
        try {
            if (over) {
                inbox.mark().clear(CLEANING);
            }
            presence.delete(CLEANING);
        } catch (ExecutionException | TimeoutException | RuntimeException fault) {
            LOG.warn("The mark of this instance could not be removed: {}", fault.toString());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } finally {
            ended.countDown();
            forgetExit();
            onEnd.run();
            drainer.complete(result);
            confirmations.close();
        }
        end();
    }

    private List<String> topics() {
        return member.topics().candidates(channel.groups().application());
    }

    /** The instance is closing: do at once what there is to do. */
    void wake() {
        thread.soon(this::tick);
    }

    /** Waits for the clean-up of an instance that has ended, because the process may end right after. */
    void awaitEnd(Duration most) {
        if (thread.isCurrent()) {
            return;
        }
        wake();
        try {
            if (!ended.await(most.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.debug("Not cleaned up within {}; what is left expires", most);
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    /** Daemon threads work on while the hooks run, and the JVM waits for those: it must not end in the clean-up. */
    private void beforeExit() {
        if (local.ended()) {
            awaitEnd(LONGEST_END);
        }
    }

    private void forgetExit() {
        try {
            Runtime.getRuntime().removeShutdownHook(exit);
        } catch (IllegalStateException exiting) {
            LOG.trace("The JVM is ending", exiting);
        }
    }
}
