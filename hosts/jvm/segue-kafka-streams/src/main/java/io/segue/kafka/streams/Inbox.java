// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** What is said to one instance: its own mark, and the assignor that all are to use. For one thread. */
final class Inbox {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final String LOOKING = "look for a mark on this instance and for the assignor that is wished for";

    private final SideGroups groups;
    private final SideEntry<Mark> mark;
    private final SideEntry<Swap> swap;
    private final Complaints complaints;

    Inbox(SideGroups groups, String instance, Supplier<List<String>> topics) {
        this.groups = groups;
        mark = new SideEntry<>(groups, groups.mark(instance),
                new SideEntry.Format<>(Mark::parse, Mark::json, Mark::sinceMs), topics);
        swap = new SideEntry<>(groups, groups.assignor(),
                new SideEntry.Format<>(Swap::parse, Swap::json, Swap::sinceMs), topics);
        complaints = new Complaints(groups.prefix());
    }

    SideEntry<Mark> mark() {
        return mark;
    }

    SideEntry<Swap> swap() {
        return swap;
    }

    /** Looks anew, at both in one request; returns the groups of which the answer came. */
    Set<String> look() throws InterruptedException {
        var read = groups.read(List.of(mark.group(), swap.group()), TIMEOUT, (name, cause) -> complaints.failed(
                LOOKING, "it cannot be drained from outside, nor hears of a swap", cause));
        read.forEach((group, entries) -> (group.equals(mark.group()) ? mark : swap).see(entries));
        if (read.size() == 2) {
            complaints.worked(LOOKING);
        }
        return Set.copyOf(read.keySet());
    }
}
