// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLongArray;

import io.segue.kafka.streams.AssignmentEvent;

/**
 * What happens to members and tasks in a run, from the moment {@link #begin} on: the events that `segue simulate` writes
 * too. A task runs from the first record that its owner processes to the last. Safe from any thread.
 */
final class Journal implements TaskWatch {
    private static final long NEVER = Long.MIN_VALUE;

    private final Settings settings;
    private final List<EventRow> rows = new ArrayList<>();
    private final Map<String, Path> members = new LinkedHashMap<>();
    private final Set<String> up = new HashSet<>();
    private final Set<String> inGroup = new HashSet<>();
    private final Map<String, CopyTrack> copies = new HashMap<>();
    private final Map<Integer, String> owners = new HashMap<>();
    private final Map<Integer, String> opened = new HashMap<>();
    private final Map<String, Long> downAt = new HashMap<>();
    private final JournalRounds rounds = new JournalRounds(rows);
    private final AtomicLongArray heard;
    private final AtomicLongArray running;
    private long start = System.nanoTime();

    Journal(Settings settings) {
        this.settings = settings;
        this.heard = new AtomicLongArray(settings.partitions());
        this.running = new AtomicLongArray(settings.partitions());
    }

    /** What is so now is how it begins; everything before is forgotten. */
    synchronized void begin() {
        long now = System.nanoTime();
        start = now;
        rows.clear();
        rounds.clear();
        up.forEach(member -> row(now, "up").with("member", member));
        inGroup.forEach(member -> row(now, "join").with("member", member));
        rounds.open(now, Optional.empty(), shares(), up.size());
        owners.forEach((partition, member) -> {
            copy(partition, member).become("active", row(now, "role", partition, member).with("role", "active"));
            copy(partition, member).isMadeWhole();
            row(now, "whole", partition, member);
            row(now, "run", partition, member);
        });
    }

    // ---- members ----

    /** @param state where its copies are kept */
    synchronized void up(String member, Path state) {
        members.put(member, state);
        up.add(member);
        row(System.nanoTime(), "up").with("member", member);
    }

    synchronized void mark(String member, Duration timeout) {
        long now = System.nanoTime();
        row(now, "mark").with("member", member).with("deadline_us", (now - start + timeout.toNanos()) / 1000);
    }

    /** @param leaves whether the group hears of it at once */
    synchronized void down(String member, boolean leaves) {
        if (!up.remove(member)) {
            return;
        }
        long now = System.nanoTime();
        downAt.put(member, now);
        row(now, "down").with("member", member).with("disk", "kept");
        inGroup.remove(member);
        if (leaves) {
            row(now, "gone").with("member", member);
        } else {
            rounds.expect(member);
        }
    }

    // ---- rebalances ----

    /** The leader has decided. The members hear of it in the round that follows. */
    synchronized void planned(AssignmentEvent plan) {
        rounds.plan(System.nanoTime(), plan);
    }

    /** A member is in the group's round of this number. */
    synchronized void inRound(String member, int generation) {
        rounds.enter(member, inGroup.add(member), generation, shares(), up.size());
    }

    // ---- tasks ----

    @Override
    public synchronized void opened(int partition, String member) {
        long now = System.nanoTime();
        CopyTrack copy = copy(partition, member);
        if (!copy.is("active")) {
            tellRestored(copy, partition, member, now, true);
            copy.become("active", row(now, "role", partition, member).with("role", "active"));
        }
        opened.put(partition, member);
        running.set(partition, NEVER);
    }

    @Override
    public void processed(int partition, String member) {
        long now = System.nanoTime();
        heard.lazySet(partition, now);
        if (running.get(partition) == NEVER) {
            run(partition, member, now);
        }
    }

    private synchronized void run(int partition, String member, long now) {
        if (running.get(partition) != NEVER || !member.equals(opened.get(partition))) {
            return;
        }
        CopyTrack copy = copy(partition, member);
        tellRestored(copy, partition, member, now, true);
        if (copy.isMadeWhole()) {
            row(now, "whole", partition, member);
        }
        row(now, "run", partition, member);
        owners.put(partition, member);
        running.set(partition, now);
    }

    @Override
    public synchronized void closed(int partition, String member) {
        long now = System.nanoTime();
        if (!member.equals(opened.get(partition))) {
            return;
        }
        opened.remove(partition);
        if (running.getAndSet(partition, 0) != NEVER) {
            long last = Math.max(heard.get(partition), downAt.getOrDefault(member, start));
            row(last, "stop", partition, member);
            rounds.stopped(partition, member, now, up.contains(member));
        }
        copy(partition, member).become("dormant", row(now, "role", partition, member).with("role", "dormant"));
    }

    // ---- copies ----

    /** A copy beside an owner begins, or goes on, at a position of a changelog. */
    synchronized void updates(int partition, String member, String store, long position) {
        CopyTrack copy = copy(partition, member);
        String role = member.equals(owners.get(partition)) ? "standby" : "learner";
        if (!copy.is("standby") && !copy.is("learner")) {
            copy.become(role, row(System.nanoTime(), "role", partition, member).with("role", role));
        }
        copy.open(store, position, -1, recordBytes(store));
    }

    /** An owner replays what it lacks before it works. */
    synchronized void restores(int partition, String member, String store, long position, long end) {
        CopyTrack copy = copy(partition, member);
        if (!copy.is("active")) {
            copy.become("active", row(System.nanoTime(), "role", partition, member).with("role", "active"));
        }
        copy.open(store, position, end, recordBytes(store));
    }

    /** @param end of the changelog, or -1 where it is as it was */
    synchronized void moved(int partition, String member, String store, long position, long end) {
        long now = System.nanoTime();
        CopyTrack copy = copy(partition, member);
        copy.move(store, position, end);
        boolean ready = copy.becomesReady(settings.recoveryLag());
        boolean whole = copy.becomesWhole();
        tellRestored(copy, partition, member, now, ready || whole);
        if (ready) {
            row(now, "ready", partition, member).with("lag_bytes", copy.behindBytes());
        }
        if (whole) {
            row(now, "whole", partition, member);
        }
    }

    /** The copy is nobody's any more; it lies there until its folder is deleted. */
    synchronized void putAside(int partition, String member) {
        long now = System.nanoTime();
        CopyTrack copy = copy(partition, member);
        if (!copy.is("dormant") && !copy.is("none")) {
            tellRestored(copy, partition, member, now, true);
            copy.become("dormant", row(now, "role", partition, member).with("role", "dormant"));
        }
    }

    /** Looks which dormant copies Kafka Streams has deleted; to be called now and then. */
    synchronized void sweep() {
        members.forEach((member, state) -> {
            for (int partition = 0; partition < settings.partitions(); partition++) {
                CopyTrack copy = copy(partition, member);
                if (copy.is("dormant") && up.contains(member) && !Files.exists(state.resolve("0_" + partition))) {
                    copy.become("none", row(System.nanoTime(), "role", partition, member).with("role", "none"));
                }
            }
        });
    }

    private void tellRestored(CopyTrack copy, int partition, String member, long now, boolean atOnce) {
        double bytes = copy.restored(now, atOnce);
        if (bytes > 0) {
            row(now, "restored", partition, member).with("bytes", bytes);
        }
    }

    // ---- what is written ----

    /** Ends the record: what was heard, in order, with the figures of the rounds filled in. */
    synchronized List<EventRow> end(Names names) {
        rounds.finish(names);
        row(System.nanoTime(), "end");
        return rows.stream().sorted((a, b) -> Long.compare(a.atNanos(), b.atNanos())).toList();
    }

    synchronized Map<String, Path> members() {
        return new LinkedHashMap<>(members);
    }

    synchronized long start() {
        return start;
    }

    /** How many tasks each owner has. */
    private Collection<Integer> shares() {
        Map<String, Integer> shares = new HashMap<>();
        owners.values().forEach(member -> shares.merge(member, 1, Integer::sum));
        return shares.values();
    }

    private double recordBytes(String store) {
        return store.equals(CountingTopology.NEWEST) ? settings.payloadBytes() : Long.BYTES;
    }

    private CopyTrack copy(int partition, String member) {
        return copies.computeIfAbsent(partition + " " + member, key -> new CopyTrack());
    }

    private EventRow row(long at, String event) {
        EventRow row = EventRow.of(at, event);
        rows.add(row);
        return row;
    }

    private EventRow row(long at, String event, int partition, String member) {
        return row(at, event).with("task", "0_" + partition).with("member", member);
    }
}
