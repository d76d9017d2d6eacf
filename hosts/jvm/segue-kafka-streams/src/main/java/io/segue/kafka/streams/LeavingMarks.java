// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The marks of one application's instances. What was known last counts where the broker does not answer in time, because
 * whoever reads this for the leader holds up a rebalance. Safe from any thread; never throws.
 */
final class LeavingMarks {
    private final SideGroups groups;
    private final Complaints complaints;
    private final Map<String, Mark> known = new HashMap<>();

    LeavingMarks(SideGroups groups) {
        this.groups = groups;
        this.complaints = new Complaints(groups.prefix());
    }

    /** By instance; blocks for the timeout at the most. */
    synchronized Map<String, Mark> of(Collection<String> instances, Duration timeout) {
        known.keySet().retainAll(instances);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Map<String, String> instanceOf = new HashMap<>();
        instances.forEach(instance -> instanceOf.put(groups.mark(instance), instance));
        try {
            groups.read(instanceOf.keySet(), timeout, (group, cause) -> failure.compareAndSet(null, cause))
                    .forEach((group, entries) -> note(instanceOf.get(group), entries));
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            failure.set(stopped);
        } catch (RuntimeException fault) {
            failure.set(fault);
        }
        report(failure.get());
        return Map.copyOf(known);
    }

    private void note(String instance, List<SideGroups.Entry> entries) {
        List<Mark> marks = new ArrayList<>();
        entries.forEach(entry -> Mark.parse(entry.text()).ifPresent(marks::add));
        Optional<Mark> mark = SideGroups.newest(marks, Mark::sinceMs);
        mark.ifPresentOrElse(found -> known.put(instance, found), () -> known.remove(instance));
    }

    private void report(Throwable failure) {
        if (failure == null) {
            complaints.worked("read the marks of leaving members");
        } else {
            complaints.failed("read the marks of leaving members",
                    known.isEmpty() ? "nobody is taken for leaving" : "those known last count: " + known.keySet(),
                    failure);
        }
    }
}
