// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.assignment.ProcessId;

/** One instance of a simulated application: what it owns and follows, and how far each copy on its disk is. */
final class SimulatedProcess {
    final ProcessId id;
    final int threads;
    final Set<TaskId> owned = new TreeSet<>();
    final Set<TaskId> followed = new TreeSet<>();
    final Map<TaskId, Long> disk = new HashMap<>();

    SimulatedProcess(int number, int threads) {
        this.id = FakeApplication.process(number);
        this.threads = threads;
    }

    /** The subscription of this process, as the leader reads it. Dormant and followed copies look the same. */
    FakeProcess report(Map<TaskId, Long> ends) {
        FakeProcess report = new FakeProcess(id, threads);
        ends.forEach((task, end) -> {
            long lag = end - disk.getOrDefault(task, 0L);
            if (owned.contains(task)) {
                report.owns(task, lag == 0 ? FakeProcess.RUNS_THERE : lag);
            } else if (disk.containsKey(task)) {
                report.copy(task, lag);
            } else {
                report.lacks(task, end);
            }
        });
        return report;
    }

    /** Owners of running tasks write what they read; everybody else replays at most so many records. */
    void advance(Map<TaskId, Long> before, Map<TaskId, Long> ends, long replayed) {
        ends.forEach((task, end) -> {
            boolean current = disk.getOrDefault(task, 0L).equals(before.get(task));
            if (owned.contains(task) && current) {
                disk.put(task, end);
            } else if (owned.contains(task) || followed.contains(task)) {
                disk.put(task, Math.min(end, disk.getOrDefault(task, 0L) + replayed));
            }
        });
    }

    @Override
    public String toString() {
        return id.id().getLeastSignificantBits() + "/" + threads + " owns " + owned + " follows " + followed + " disk "
                + disk;
    }
}
