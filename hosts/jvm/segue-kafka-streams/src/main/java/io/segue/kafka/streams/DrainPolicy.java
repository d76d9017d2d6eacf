// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.Optional;

/**
 * Decides what a marked instance does next: ask for a rebalance, leave, or wait. It decides nothing about tasks. Not
 * for use by two threads at once.
 */
final class DrainPolicy {
    private static final int LONGEST_BACKOFF = 16;
    private static final long SETTLING_MS = 1_000;

    private final long heartbeatMs;
    private Optional<Mark> mark = Optional.empty();
    private long roundsBefore;
    private long asked;
    private long nextAskAt;
    private boolean askedAtDeadline;
    private boolean open;

    /** What to do. */
    enum Step { WAIT, ASK, LEAVE }

    /**
     * What is known of the instance now.
     *
     * @param mark its mark
     * @param active tasks that it owns
     * @param running whether it is at work and in no rebalance
     * @param rounds rebalances so far
     */
    record Seen(Optional<Mark> mark, int active, boolean running, Rounds.Seen rounds) {}

    DrainPolicy(long heartbeatMs) {
        this.heartbeatMs = heartbeatMs;
    }

    /**
     * @param wallMs the clock by which deadlines are written
     * @param now the monotonic clock of {@code rounds}
     */
    Step next(Seen seen, long wallMs, long now) {
        if (!seen.mark().equals(mark)) {
            begin(seen);
            return asking(now);
        }
        if (mark.isEmpty()) {
            return cancelledUnheard(seen, now) ? asking(now) : Step.WAIT;
        }
        if (empty(seen, now)) {
            return mark.get().stay() ? Step.WAIT : Step.LEAVE;
        }
        if (mark.get().overdue(wallMs) && !askedAtDeadline) {
            askedAtDeadline = true;
            asked = 0;
            return asking(now);
        }
        return seen.active() > 0 && now >= nextAskAt && quiet(seen, now) ? asking(now) : Step.WAIT;
    }

    /** Whether nothing is left here, and no round is under way that could bring something. */
    boolean empty(Seen seen, long now) {
        return seen.active() == 0 && seen.running() && seen.rounds().ended() > roundsBefore
                && now - seen.rounds().lastAt() >= SETTLING_MS;
    }

    private void begin(Seen seen) {
        mark = seen.mark();
        roundsBefore = seen.rounds().ended();
        asked = 0;
        askedAtDeadline = false;
        open = true;
    }

    /** The round that was asked for may have been the one already under way; then the leader knows nothing yet. */
    private boolean cancelledUnheard(Seen seen, long now) {
        open &= seen.rounds().ended() == roundsBefore;
        return open && now >= nextAskAt;
    }

    private boolean quiet(Seen seen, long now) {
        return now - seen.rounds().lastAt() >= 2 * heartbeatMs;
    }

    private Step asking(long now) {
        nextAskAt = now + 2 * heartbeatMs * Math.min(LONGEST_BACKOFF, 1L << Math.min(asked, 30));
        asked++;
        return Step.ASK;
    }
}
