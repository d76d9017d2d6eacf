// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.util.HashMap;
import java.util.Map;

/** What is known of one instance's copy of one task, in the role it has now. Not thread-safe. */
final class CopyTrack {
    private static final long REPORT_NANOS = 100_000_000;

    private final Map<String, Span> stores = new HashMap<>();
    private String role = "none";
    private EventRow roleRow;
    private double begunBehind;
    private double untold;
    private long toldAt;
    private boolean ready;
    private boolean whole;

    /** Where a store's copy is in its changelog, in records; a negative end is not known yet. */
    private record Span(long position, long end, double recordBytes) {
        double behind() {
            return end < 0 ? 0 : Math.max(0, end - position);
        }
    }

    String role() {
        return role;
    }

    boolean is(String one) {
        return role.equals(one);
    }

    /** Begins anew in another role; what it lacks is told by {@link #open} and {@link #move}. */
    void become(String newRole, EventRow row) {
        role = newRole;
        roleRow = row.with("lag_bytes", 0.0);
        stores.clear();
        begunBehind = 0;
        untold = 0;
        ready = false;
        whole = false;
    }

    /** A store's copy begins at a position. */
    void open(String store, long position, long end, double recordBytes) {
        stores.put(store, new Span(position, end, recordBytes));
        lack(end < 0 ? 0 : (end - position) * recordBytes);
    }

    /** It has come to a position, and the changelog ends there or further on. */
    void move(String store, long position, long end) {
        Span before = stores.get(store);
        if (before == null) {
            return;
        }
        if (before.end() < 0) {
            lack((end - before.position()) * before.recordBytes());
        }
        untold += whole ? 0 : Math.max(0, position - before.position()) * before.recordBytes();
        stores.put(store, new Span(position, Math.max(end, position), before.recordBytes()));
    }

    /** The bytes that its role began without come to light store by store. */
    private void lack(double bytes) {
        begunBehind += Math.max(0, bytes);
        roleRow.with("lag_bytes", begunBehind);
    }

    /** Whether every store's end is known, so that a lag can be said at all. */
    private boolean isKnown() {
        return stores.size() == CountingTopology.STORES && stores.values().stream().allMatch(store -> store.end() >= 0);
    }

    double behindBytes() {
        return stores.values().stream().mapToDouble(store -> store.behind() * store.recordBytes()).sum();
    }

    private double behindRecords() {
        return stores.values().stream().mapToDouble(Span::behind).sum();
    }

    /** The bytes replayed since the last time, now and then; 0 where it is too early to say. */
    double restored(long now, boolean atOnce) {
        if (untold == 0 || !atOnce && now - toldAt < REPORT_NANOS) {
            return 0;
        }
        double bytes = untold;
        untold = 0;
        toldAt = now;
        return bytes;
    }

    /** Once for each learner: it is within the acceptable lag. */
    boolean becomesReady(long acceptableRecords) {
        if (ready || !is("learner") || !isKnown() || behindRecords() > acceptableRecords) {
            return false;
        }
        ready = true;
        return true;
    }

    /** Once for each copy beside an owner: it lacks nothing. */
    boolean becomesWhole() {
        if (whole || is("active") || !isKnown() || behindRecords() > 0) {
            return false;
        }
        whole = true;
        return true;
    }

    /** An owner that works is whole; its stores tell only of what they had to replay. */
    boolean isMadeWhole() {
        boolean was = whole;
        whole = true;
        return !was;
    }
}
