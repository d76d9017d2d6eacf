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
import java.util.function.UnaryOperator;

/**
 * The marks of one application's instances. What was known last counts where the broker does not answer in time,
 * because whoever reads this for the leader holds up a rebalance. Safe from any thread; never throws.
 */
final class LeavingMarks {
    private final Reader reader;
    private final UnaryOperator<String> group;
    private final Complaints complaints;
    private final Map<String, Mark> known = new HashMap<>();

    /** {@link SideGroups#read}. */
    @FunctionalInterface
    interface Reader {
        Map<String, List<SideGroups.Entry>> read(
                Collection<String> groups, Duration timeout, SideGroups.FailedRead failed) throws InterruptedException;
    }

    LeavingMarks(SideGroups groups) {
        this(groups::read, groups::mark, new Complaints(groups.prefix()));
    }

    /** @param group the name of an instance's side group */
    LeavingMarks(Reader reader, UnaryOperator<String> group, Complaints complaints) {
        this.reader = reader;
        this.group = group;
        this.complaints = complaints;
    }

    /** By instance; blocks for the timeout at the most. */
    synchronized Map<String, Mark> of(Collection<String> instances, Duration timeout) {
        known.keySet().retainAll(instances);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Map<String, String> instanceOf = new HashMap<>();
        instances.forEach(instance -> instanceOf.put(group.apply(instance), instance));
        try {
            reader.read(instanceOf.keySet(), timeout, (name, cause) -> failure.compareAndSet(null, cause))
                    .forEach((name, entries) -> note(instanceOf.get(name), entries));
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
