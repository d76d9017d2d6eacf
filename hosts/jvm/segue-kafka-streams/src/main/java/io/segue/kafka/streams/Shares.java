// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.assignment.ProcessId;

/** How many stateful tasks each process owns, beside its share of them by threads; who is leaving has none. */
final class Shares {
    private final Map<ProcessId, Integer> owned = new HashMap<>();
    private final Map<ProcessId, Long> threads = new HashMap<>();
    private final long tasks;
    private final long allThreads;

    Shares(Collection<ProcessView> processes, int tasks, Map<TaskId, ProcessId> owners, Set<ProcessId> leaving) {
        this.tasks = tasks;
        boolean nobodyStays = processes.stream().allMatch(process -> leaving.contains(process.id()));
        processes.forEach(process -> {
            owned.put(process.id(), 0);
            threads.put(process.id(), nobodyStays || !leaving.contains(process.id()) ? (long) process.threads() : 0);
        });
        owners.values().forEach(owner -> owned.merge(owner, 1, Integer::sum));
        allThreads = Math.max(1, threads.values().stream().mapToLong(Long::longValue).sum());
    }

    /** It could own another one: it holds less than its share rounded up. */
    boolean below(ProcessId process) {
        return owned.get(process) < ceiling(process);
    }

    /** It needs another one: it holds less than its share rounded down. */
    boolean lacks(ProcessId process) {
        return owned.get(process) < floor(process);
    }

    /** It could do without one: it holds more than its share rounded down. */
    boolean gives(ProcessId process) {
        return owned.get(process) > floor(process);
    }

    boolean allWithin() {
        return owned.keySet().stream()
                .allMatch(process -> owned.get(process) >= floor(process) && owned.get(process) <= ceiling(process));
    }

    private long floor(ProcessId process) {
        return tasks * threads.get(process) / allThreads;
    }

    private long ceiling(ProcessId process) {
        return (tasks * threads.get(process) + allThreads - 1) / allThreads;
    }
}
