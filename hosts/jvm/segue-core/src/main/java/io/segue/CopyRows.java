// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/** What members hold, by member, then by task, one row for each pair. */
final class CopyRows {
    private final int[] start;
    private final int[] task;
    private final byte[] role;
    private final long[] lag;

    CopyRows(CanonicalGroup rows) {
        int most = rows.members.stream().mapToInt(member -> member.copies().size()).sum();
        start = new int[rows.members.size() + 1];
        int[] tasks = new int[most];
        byte[] roles = new byte[most];
        long[] lags = new long[most];
        int at = 0;
        for (int member = 0; member < rows.members.size(); member++) {
            for (Map.Entry<Integer, Copy> held : held(rows, rows.members.get(member)).entrySet()) {
                tasks[at] = held.getKey();
                roles[at] = (byte) held.getValue().role().ordinal();
                lags[at++] = held.getValue().lag().orElse(Wire.LAG_UNKNOWN);
            }
            start[member + 1] = at;
        }
        task = Arrays.copyOf(tasks, at);
        role = Arrays.copyOf(roles, at);
        lag = Arrays.copyOf(lags, at);
    }

    /** The strongest claim on each task. Tasks that are gone, and replicas of what has no state, are no claims. */
    private static Map<Integer, Copy> held(CanonicalGroup rows, Member member) {
        Map<Integer, Copy> held = new TreeMap<>();
        for (Copy copy : member.copies()) {
            Integer handle = rows.taskHandles.get(copy.task());
            if (handle != null && (copy.role() == Role.ACTIVE || rows.tasks.get(handle).stateful())) {
                held.merge(handle, copy, (left, right) -> left.role().compareTo(right.role()) >= 0 ? left : right);
            }
        }
        return held;
    }

    int count() {
        return task.length;
    }

    void write(WireWriter sections) {
        sections.ints(24, start);
        sections.ints(25, task);
        sections.bytes(26, role);
        sections.longs(27, lag);
    }
}
