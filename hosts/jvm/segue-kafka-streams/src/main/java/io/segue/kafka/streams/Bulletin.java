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
import java.util.function.Function;

/**
 * What the leader has to know of one application: who is marked as leaving, and which assignor is wished for. What was
 * known last counts where the broker does not answer in time, because whoever reads this holds up a rebalance. Safe from
 * any thread; never throws.
 */
final class Bulletin {
    private static final String READING = "read who is leaving and which assignor is wished for";

    private final Reader reader;
    private final Names names;
    private final Complaints complaints;
    private final Map<String, Mark> marks = new HashMap<>();
    private Optional<Swap> swap = Optional.empty();

    /**
     * As it stands.
     *
     * @param marks by instance
     * @param swap the assignor that is wished for
     */
    record Posted(Map<String, Mark> marks, Optional<Swap> swap) {}

    /** {@link SideGroups#read}. */
    @FunctionalInterface
    interface Reader {
        Map<String, List<SideGroups.Entry>> read(
                Collection<String> groups, Duration timeout, SideGroups.FailedRead failed) throws InterruptedException;
    }

    /**
     * Names of side groups.
     *
     * @param mark of an instance's mark
     * @param assignor of the wish for an assignor
     */
    record Names(Function<String, String> mark, String assignor) {}

    Bulletin(SideGroups groups) {
        this(groups::read, new Names(groups::mark, groups.assignor()), new Complaints(groups.prefix()));
    }

    Bulletin(Reader reader, Names names, Complaints complaints) {
        this.reader = reader;
        this.names = names;
        this.complaints = complaints;
    }

    /** Of these instances; blocks for the timeout at the most. */
    synchronized Posted read(Collection<String> instances, Duration timeout) {
        marks.keySet().retainAll(instances);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Map<String, Optional<String>> instanceOf = new HashMap<>();
        instances.forEach(instance -> instanceOf.put(names.mark().apply(instance), Optional.of(instance)));
        instanceOf.put(names.assignor(), Optional.empty());
        try {
            reader.read(instanceOf.keySet(), timeout, (name, cause) -> failure.compareAndSet(null, cause))
                    .forEach((name, entries) -> instanceOf.get(name)
                            .ifPresentOrElse(instance -> noteMark(instance, entries), () -> noteSwap(entries)));
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            failure.set(stopped);
        } catch (RuntimeException fault) {
            failure.set(fault);
        }
        report(failure.get());
        return new Posted(Map.copyOf(marks), swap);
    }

    private void noteMark(String instance, List<SideGroups.Entry> entries) {
        List<Mark> found = new ArrayList<>();
        entries.forEach(entry -> Mark.parse(entry.text()).ifPresent(found::add));
        SideGroups.newest(found, Mark::sinceMs)
                .ifPresentOrElse(mark -> marks.put(instance, mark), () -> marks.remove(instance));
    }

    private void noteSwap(List<SideGroups.Entry> entries) {
        swap = SideGroups.newest(
                entries.stream().flatMap(entry -> Swap.parse(entry.text()).stream()).toList(), Swap::sinceMs);
    }

    private void report(Throwable failure) {
        if (failure == null) {
            complaints.worked(READING);
        } else {
            complaints.failed(READING, marks.isEmpty() && swap.isEmpty()
                    ? "nobody is taken for leaving, and the configured assignor is asked"
                    : "what was known last counts: leaving " + marks.keySet() + ", assignor "
                            + swap.map(Swap::name).orElse("as configured"), failure);
        }
    }
}
