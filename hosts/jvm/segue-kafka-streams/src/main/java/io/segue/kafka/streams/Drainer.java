// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries one instance through its drain: heeds its mark, makes the leader look, and says when nothing is left. For the
 * attendant's thread, but for {@link #state} and {@link #begun}.
 */
final class Drainer {
    private static final Logger LOG = LoggerFactory.getLogger(Drainer.class);
    private static final long GRACE_MS = 30_000;

    private final LocalInstance local;
    private final Presence who;
    private final SideEntry<Mark> mark;
    private final Member member;
    private final Settings settings;
    private final DrainPolicy policy;
    private final ConcurrentLinkedQueue<Drain> waiting = new ConcurrentLinkedQueue<>();
    private volatile DrainState state = DrainState.of(DrainState.Phase.RUNNING, Optional.empty(), 0);
    private Optional<Mark> heeded = Optional.empty();
    private boolean looked;
    private boolean late;

    Drainer(LocalInstance local, Presence who, SideEntry<Mark> mark, Member member, Settings settings) {
        this.local = local;
        this.who = who;
        this.mark = mark;
        this.member = member;
        this.settings = settings;
        policy = new DrainPolicy(member.heartbeatMs());
    }

    DrainState state() {
        return state;
    }

    /** One that fails when its mark cannot be written. */
    Drain begun(CompletableFuture<?> marked) {
        Drain drain = new Drain(this::state);
        marked.whenComplete((done, fault) -> {
            if (fault != null) {
                drain.completeExceptionally(fault);
            }
        });
        return drain;
    }

    /** Marks this instance, or changes the deadline of its mark, as it has just been read. */
    void mark(Drain drain, Optional<Duration> timeout, boolean stay)
            throws ExecutionException, InterruptedException, TimeoutException {
        long now = System.currentTimeMillis();
        Mark next = mark.known()
                .map(before -> before.again(now, timeout, stay))
                .orElseGet(() -> Mark.now(who.instance(), now, timeout, stay, "the instance"))
                .within(settings.scaleDownTimeoutMs());
        mark.write(next);
        LOG.info("Marked as leaving, deadline {}", next.deadlineMs().isPresent()
                ? Instant.ofEpochMilli(next.deadlineMs().getAsLong())
                : "none");
        waiting.add(drain);
    }

    /** A drain whose time was over before this process began is over; it must not empty what was started since. */
    void forgetOldMark(boolean heeds) throws ExecutionException, InterruptedException, TimeoutException {
        Optional<Mark> found = looked ? Optional.empty() : effective();
        looked = true;
        if (found.isEmpty()) {
            return;
        }
        if (found.get().sinceMs() < who.startedMs() && found.get().overdue(who.startedMs())) {
            LOG.info("The mark of an earlier drain, whose deadline is over, is removed");
            mark.clear();
        } else if (heeds) {
            LOG.warn("This instance is marked as leaving since {} by {}; it will be emptied unless that is cancelled",
                    Instant.ofEpochMilli(found.get().sinceMs()), found.get().by());
        }
    }

    /** The mark that it goes by now. */
    Optional<Mark> heeded() {
        return heeded;
    }

    private Optional<Mark> effective() {
        return mark.known().map(found -> found.within(settings.scaleDownTimeoutMs()));
    }

    /**
     * Goes on with what is known now.
     *
     * @param heeds whether the assignor heeds marks; if it does not nothing would ever be taken away
     */
    DrainPolicy.Step next(boolean heeds) {
        long wall = System.currentTimeMillis();
        long now = SegueClients.CLOCK.getAsLong();
        DrainPolicy.Seen seen = new DrainPolicy.Seen(
                heeds ? effective() : Optional.empty(), local.active(), local.running(), member.rounds().seen());
        heeded = seen.mark();
        boolean overdue = seen.mark().isPresent() && seen.mark().get().overdue(wall);
        late = seen.mark().isPresent() && (late || overdue && seen.active() > 0);
        DrainPolicy.Step step = policy.next(seen, wall, now);
        if (step == DrainPolicy.Step.ASK) {
            member.wanted().ask(seen.mark().isEmpty() ? "segue: no longer leaving" : overdue
                    ? "segue: the deadline for leaving has passed"
                    : "segue: leaving, " + seen.active() + " tasks left");
        }
        boolean empty = seen.mark().isPresent() && (policy.empty(seen, now) || stillEmpty(seen));
        state = DrainState.of(empty && seen.mark().get().stay() ? DrainState.Phase.EMPTY : seen.mark().isPresent()
                ? DrainState.Phase.DRAINING
                : DrainState.Phase.RUNNING, seen.mark(), seen.active());
        tell(seen, empty, wall);
        return step;
    }

    /** A round of the others brings nothing to a marked instance: who waits for its end is not to see it begin anew. */
    private boolean stillEmpty(DrainPolicy.Seen seen) {
        return state.phase() == DrainState.Phase.EMPTY && seen.active() == 0
                && state.since().equals(seen.mark().map(Mark::sinceMs).map(Instant::ofEpochMilli));
    }

    private void tell(DrainPolicy.Seen seen, boolean empty, long wall) {
        if (seen.mark().isEmpty()) {
            complete(DrainResult.CANCELLED);
        } else if (empty && seen.mark().get().stay()) {
            complete(ended());
        } else if (late && seen.active() > 0 && seen.mark().get().overdue(wall - GRACE_MS)) {
            if (!waiting.isEmpty()) {
                LOG.warn("{} tasks are still here {} s after the deadline: nobody takes them", seen.active(),
                        GRACE_MS / 1000);
            }
            complete(DrainResult.TIMED_OUT);
        }
    }

    /** Whether the drain is at its end, empty or not: then an instance that closes takes its mark with it. */
    boolean over() {
        return state.phase() == DrainState.Phase.EMPTY
                || heeded.isPresent() && heeded.get().overdue(System.currentTimeMillis());
    }

    /** How a drain has ended that left nothing behind. */
    DrainResult ended() {
        return late ? DrainResult.TIMED_OUT : DrainResult.EMPTIED;
    }

    void stopping() {
        state = new DrainState(DrainState.Phase.STOPPING, state.since(), state.deadline(), state.tasksLeft());
    }

    /** Elsewhere: what the application does then may be to close the instance, which needs this thread. */
    void complete(DrainResult result) {
        for (Drain drain = waiting.poll(); drain != null; drain = waiting.poll()) {
            drain.completeAsync(() -> result);
        }
    }
}
