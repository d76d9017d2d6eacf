// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries one instance through its drain: notices the mark, makes the leader look, and leaves when nothing is left. One
 * daemon thread, which looks at the instance's own mark at an interval; every method may be called from any thread, and
 * none but {@link #close} blocks.
 */
final class Drainer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Drainer.class);
    private static final Duration LEAVING = Duration.ofSeconds(30);
    private static final long GRACE_MS = 30_000;
    private static final long LONGEST_CLOSE_MS = 500;

    private final LocalInstance local;
    private final Presence who;
    private final Channel channel;
    private final Member member;
    private final Settings settings;
    private final OwnMark mark;
    private final OwnPresence presence;
    private final DrainPolicy policy;
    private final Runnable onEnd;
    private final ScheduledThreadPoolExecutor thread;
    private final ConcurrentLinkedQueue<Drain> waiting = new ConcurrentLinkedQueue<>();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final AtomicBoolean channelOpen = new AtomicBoolean(true);
    private volatile DrainState state = DrainState.of(DrainState.Phase.RUNNING, Optional.empty(), 0);
    private volatile boolean leaving;
    private boolean looked;
    private boolean late;

    /** @param onEnd called once, on the drainer's thread, after everything of it is over */
    Drainer(LocalInstance local, Presence who, Channel channel, Member member, Settings settings, Runnable onEnd) {
        this.local = local;
        this.who = who;
        this.channel = channel;
        this.member = member;
        this.settings = settings;
        this.onEnd = onEnd;
        mark = new OwnMark(channel.groups(), who.instance(), this::topics);
        presence = new OwnPresence(channel.groups(), who, this::topics);
        policy = new DrainPolicy(member.heartbeatMs());
        thread = new ScheduledThreadPoolExecutor(1, work -> {
            Thread made = new Thread(work, "segue-drain-" + who.clientId());
            made.setDaemon(true);
            return made;
        });
    }

    void start() {
        thread.scheduleWithFixedDelay(this::tick, 0, settings.marksPollMs(), TimeUnit.MILLISECONDS);
    }

    DrainState state() {
        return state;
    }

    Presence who() {
        return who;
    }

    /**
     * Marks this instance, or changes the deadline of its mark.
     *
     * @param marked completes when the mark stands
     */
    Drain drain(Optional<Duration> timeout, boolean stay, CompletableFuture<DrainState> marked) {
        Drain drain = new Drain(this::state);
        submit(marked, () -> {
            Mark next = mark(timeout, stay);
            mark.write(next);
            LOG.info("Marked as leaving, deadline {}", next.deadlineMs().isPresent()
                    ? Instant.ofEpochMilli(next.deadlineMs().getAsLong())
                    : "none");
            waiting.add(drain);
            goOn();
            return state;
        });
        marked.whenComplete((done, fault) -> {
            if (fault != null) {
                drain.completeExceptionally(fault);
            }
        });
        return drain;
    }

    private Mark mark(Optional<Duration> timeout, boolean stay) throws InterruptedException {
        mark.look();
        long now = System.currentTimeMillis();
        return mark.known()
                .map(before -> before.again(now, timeout, stay))
                .orElseGet(() -> Mark.now(who.instance(), now, timeout, stay, "the instance"))
                .within(settings.scaleDownTimeoutMs());
    }

    /** Takes the mark back; true if there was one. */
    CompletableFuture<Boolean> cancel() {
        CompletableFuture<Boolean> cancelled = new CompletableFuture<>();
        submit(cancelled, () -> {
            mark.look();
            boolean was = mark.known().isPresent();
            mark.clear();
            goOn();
            return was;
        });
        return cancelled;
    }

    private interface Work<T> {
        T run() throws ExecutionException, InterruptedException, TimeoutException;
    }

    private <T> void submit(CompletableFuture<T> result, Work<T> work) {
        try {
            thread.execute(() -> {
                try {
                    result.complete(work.run());
                } catch (ExecutionException fault) {
                    result.completeExceptionally(new IllegalStateException(
                            new Complaints(channel.groups().prefix()).reason(fault.getCause()), fault.getCause()));
                } catch (InterruptedException | TimeoutException | RuntimeException fault) {
                    result.completeExceptionally(fault);
                }
            });
        } catch (RejectedExecutionException closed) {
            result.completeExceptionally(new IllegalStateException("this instance is closed"));
        }
    }

    /** A fault here must end neither the thread nor the application. */
    private void tick() {
        try {
            if (ended.getCount() == 0) {
                return;
            }
            if (local.ended()) {
                end(nothingLeft(), DrainResult.INTERRUPTED);
                return;
            }
            if (mark.look()) {
                forgetOldMark();
            }
            goOn();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException | RuntimeException fault) {
            LOG.warn("Looking after the drain failed, and is tried again: {}", fault.toString(), fault);
        }
    }

    /** A drain whose time was over before this process began is over; it must not empty what was started since. */
    private void forgetOldMark() throws ExecutionException, InterruptedException, TimeoutException {
        Optional<Mark> found = looked ? Optional.empty() : effective();
        looked = true;
        if (found.isEmpty()) {
            return;
        }
        if (found.get().sinceMs() < who.startedMs() && found.get().overdue(who.startedMs())) {
            LOG.info("The mark of an earlier drain, whose deadline is over, is removed");
            mark.clear();
        } else {
            LOG.warn("This instance is marked as leaving since {} by {}; it will be emptied unless that is cancelled",
                    Instant.ofEpochMilli(found.get().sinceMs()), found.get().by());
        }
    }

    private Optional<Mark> effective() {
        return mark.known().map(found -> found.within(settings.scaleDownTimeoutMs()));
    }

    private void goOn() throws InterruptedException {
        long wall = System.currentTimeMillis();
        long now = SegueClients.CLOCK.getAsLong();
        DrainPolicy.Seen seen =
                new DrainPolicy.Seen(effective(), local.active(), local.running(), member.rounds().seen());
        boolean overdue = seen.mark().isPresent() && seen.mark().get().overdue(wall);
        late = seen.mark().isPresent() && (late || overdue && seen.active() > 0);
        DrainPolicy.Step step = policy.next(seen, wall, now);
        if (step == DrainPolicy.Step.ASK) {
            member.wanted().ask(seen.mark().isEmpty() ? "segue: no longer leaving" : overdue
                    ? "segue: the deadline for leaving has passed"
                    : "segue: leaving, " + seen.active() + " tasks left");
        }
        boolean empty = seen.mark().isPresent() && policy.empty(seen, now);
        show(empty && seen.mark().get().stay() ? DrainState.Phase.EMPTY : seen.mark().isPresent()
                ? DrainState.Phase.DRAINING
                : DrainState.Phase.RUNNING, seen);
        tell(seen, empty, wall);
        if (step == DrainPolicy.Step.LEAVE) {
            leave(seen);
        }
    }

    private void show(DrainState.Phase phase, DrainPolicy.Seen seen) throws InterruptedException {
        state = DrainState.of(phase, seen.mark(), seen.active());
        List<Copy> copies = member.book().copies();
        boolean known = copies.stream().allMatch(copy -> copy.lag() != Changelog.UNKNOWN);
        presence.publish(new Presence.Now(
                phase, seen.active(), copies.size(),
                (int) copies.stream().filter(copy -> copy.caughtUp(member.config().recoveryLag())).count(),
                known ? copies.stream().mapToLong(Copy::lag).sum() : -1, seen.mark()), System.currentTimeMillis());
    }

    private void tell(DrainPolicy.Seen seen, boolean empty, long wall) {
        if (seen.mark().isEmpty()) {
            complete(DrainResult.CANCELLED);
        } else if (empty && seen.mark().get().stay()) {
            complete(late ? DrainResult.TIMED_OUT : DrainResult.EMPTIED);
        } else if (late && seen.active() > 0 && seen.mark().get().overdue(wall - GRACE_MS)) {
            if (!waiting.isEmpty()) {
                LOG.warn("{} tasks are still here {} s after the deadline: nobody takes them", seen.active(),
                        GRACE_MS / 1000);
            }
            complete(DrainResult.TIMED_OUT);
        }
    }

    private void leave(DrainPolicy.Seen seen) throws InterruptedException {
        leaving = true;
        LOG.info("Empty; leaving the group and closing");
        show(DrainState.Phase.STOPPING, seen);
        try {
            if (!local.leave(LEAVING)) {
                LOG.warn("Not closed within {} s; the closing goes on", LEAVING.toSeconds());
            }
        } catch (RuntimeException fault) {
            LOG.warn("Closed, but the group may have to wait for the session: {}", fault.toString(), fault);
        }
        end(true, late ? DrainResult.TIMED_OUT : DrainResult.EMPTIED);
    }

    private boolean nothingLeft() {
        return state.phase() == DrainState.Phase.EMPTY;
    }

    /** A mark goes only with a drain that has ended: what was closed half way goes on with it after a restart. */
    private void end(boolean drained, DrainResult result) {
        state = new DrainState(DrainState.Phase.STOPPING, state.since(), state.deadline(), state.tasksLeft());
        try {
            if (drained) {
                mark.clear();
            }
            presence.delete();
        } catch (ExecutionException | TimeoutException | RuntimeException fault) {
            LOG.warn("The mark of this instance could not be removed: {}", fault.toString());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } finally {
            ended.countDown();
            thread.shutdown();
            if (leaving) {
                closeChannel();
            }
            onEnd.run();
            complete(result);
        }
    }

    /** Not before the stream threads have ended: one that leads would open another for itself. */
    private void closeChannel() {
        if (channelOpen.compareAndSet(true, false)) {
            channel.close();
        }
    }

    /** Elsewhere: what the application does then may be to close the instance, which needs this thread. */
    private void complete(DrainResult result) {
        for (Drain drain = waiting.poll(); drain != null; drain = waiting.poll()) {
            drain.completeAsync(() -> result);
        }
    }

    private List<String> topics() {
        return member.topics().candidates(channel.groups().application());
    }

    /** The instance is closing: do at once what there is to do. */
    void wake() {
        if (!leaving && ended.getCount() > 0) {
            try {
                thread.execute(this::tick);
            } catch (RejectedExecutionException over) {
                LOG.trace("Ended before", over);
            }
        }
    }

    /** The instance is closed. Waits a moment for the clean-up, because the process may end right after. */
    @Override
    public void close() {
        if (leaving) {
            return;
        }
        wake();
        try {
            if (!ended.await(LONGEST_CLOSE_MS, TimeUnit.MILLISECONDS)) {
                LOG.debug("The presence of this instance is left to expire");
            }
            closeChannel();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }
}
