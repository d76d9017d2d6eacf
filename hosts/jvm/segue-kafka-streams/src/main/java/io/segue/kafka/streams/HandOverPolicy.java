// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

import org.apache.kafka.common.TopicPartition;

/**
 * Decides when this member asks for a rebalance: in one wave for all that is ready, again when a request was lost,
 * and not for ever where a copy may be a plain standby. See RATIONALE.md. Safe from any thread.
 */
final class HandOverPolicy {
    private static final int MOST_REQUESTS_FOR_A_STANDBY = 3;
    private static final int LONGEST_BACKOFF = 16;
    private static final long LOOK_MS = 50;
    private static final long LEAD_MS = 300;
    private static final long NEVER = Long.MIN_VALUE / 2;

    private final HandOverConfig config;
    private final Map<TopicPartition, Asked> asked = new HashMap<>();
    private Set<TopicPartition> known = Set.of();
    private Set<TopicPartition> ready = Set.of();
    private long changedAt;
    private long roundEndedAt;
    private long waitingSince = Long.MAX_VALUE;
    private long nextLook;

    /** How often this copy was part of a request, and when it may be part of the next. */
    private record Asked(int times, long nextAt) {
    }

    HandOverPolicy(HandOverConfig config) {
        this.config = config;
        this.roundEndedAt = NEVER;
    }

    /** A rebalance has ended on this member: whatever it decided needs a moment to show. */
    synchronized void roundEnded(long now) {
        roundEndedAt = now;
    }

    /** Cheap enough for every poll. If a request is due it counts as made; the text says why. */
    synchronized Optional<String> due(CopyBook book, long now) {
        if (now < nextLook) {
            return Optional.empty();
        }
        nextLook = now + LOOK_MS;
        return decide(book.copies(), now);
    }

    private Optional<String> decide(List<Copy> copies, long now) {
        List<Copy> caughtUp = copies.stream().filter(copy -> copy.caughtUp(config.recoveryLag())).toList();
        notice(changelogs(copies), changelogs(caughtUp), now);
        List<Copy> open = caughtUp.stream().filter(open(now)).toList();
        if (open.isEmpty()) {
            waitingSince = Long.MAX_VALUE;
            return Optional.empty();
        }
        waitingSince = Math.min(waitingSince, now);
        if (!config.anyReady() && caughtUp.size() < copies.size()
                || unsettled(now) || moreSoon(copies, now) || leaderListensLater(now)) {
            return Optional.empty();
        }
        changelogs(caughtUp).forEach(changelog -> asked.merge(changelog, first(now), (old, none) -> again(old, now)));
        waitingSince = Long.MAX_VALUE;
        return Optional.of("segue: " + caughtUp.size() + " of " + copies.size() + " copies are caught up");
    }

    private void notice(Set<TopicPartition> all, Set<TopicPartition> nowReady, long now) {
        if (!all.equals(known) || !ready.containsAll(nowReady)) {
            changedAt = now;
        }
        known = all;
        ready = nowReady;
        asked.keySet().retainAll(all);
    }

    private Predicate<Copy> open(long now) {
        return copy -> copy.changelogs().stream().anyMatch(changelog -> {
            Asked before = asked.get(changelog);
            return before == null || now >= before.nextAt() && mayRepeat(before);
        });
    }

    private boolean mayRepeat(Asked before) {
        return !config.standbys() || before.times() < MOST_REQUESTS_FOR_A_STANDBY;
    }

    private boolean unsettled(long now) {
        return now - changedAt < config.batchMs() || now - roundEndedAt < config.batchMs();
    }

    /** A second wave costs more than waiting for copies that are nearly there; the owners are at work meanwhile. */
    private boolean moreSoon(List<Copy> copies, long now) {
        return now - waitingSince < retryMs()
                && copies.stream().anyMatch(copy -> copy.nearly(config.recoveryLag(), config.heartbeatMs()));
    }

    /**
     * The leader hears of a request at its heartbeat, and compares the lags reported at the request with the ends
     * of changelogs at that moment: what arrives in between counts as lag. The last round's end set all heartbeats.
     */
    private boolean leaderListensLater(long now) {
        long sinceHeartbeat = (now - roundEndedAt) % config.heartbeatMs();
        return roundEndedAt != NEVER
                && now - waitingSince < retryMs()
                && config.heartbeatMs() - sinceHeartbeat > Math.min(LEAD_MS, config.heartbeatMs() / 4);
    }

    private Asked first(long now) {
        return new Asked(1, now + retryMs());
    }

    private Asked again(Asked before, long now) {
        long backoff = Math.min(LONGEST_BACKOFF, 1L << Math.min(before.times(), 30));
        return new Asked(before.times() + 1, now + retryMs() * backoff);
    }

    /** A hand-over takes up to a heartbeat to start and less than another to end. */
    private long retryMs() {
        return Math.max(2 * config.heartbeatMs(), 4 * config.batchMs());
    }

    private static Set<TopicPartition> changelogs(List<Copy> copies) {
        Set<TopicPartition> all = new HashSet<>();
        copies.forEach(copy -> all.addAll(copy.changelogs()));
        return all;
    }
}
