// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One instance's mark, as it stands in its side group, whoever wrote it. For one thread. */
final class OwnMark {
    private static final Logger LOG = LoggerFactory.getLogger(OwnMark.class);
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final SideGroups groups;
    private final String group;
    private final Supplier<List<String>> topics;
    private final Complaints complaints;
    private Optional<Mark> mark = Optional.empty();
    private Optional<SideGroups.Entry> entry = Optional.empty();

    private record Found(SideGroups.Entry entry, Mark mark) {}

    OwnMark(SideGroups groups, String instance, Supplier<List<String>> topics) {
        this.groups = groups;
        this.group = groups.mark(instance);
        this.topics = topics;
        this.complaints = new Complaints(groups.prefix());
    }

    /** As it was seen last. */
    Optional<Mark> known() {
        return mark;
    }

    /** Looks anew; false where that failed and the last known one has to do. */
    boolean look() throws InterruptedException {
        var read = groups.read(List.of(group), TIMEOUT, (name, cause) -> complaints.failed(
                "look for a mark on this instance", "it cannot be drained from outside", cause));
        if (!read.containsKey(group)) {
            return false;
        }
        complaints.worked("look for a mark on this instance");
        Optional<Found> found = SideGroups.newest(
                read.get(group).stream()
                        .flatMap(entry -> Mark.parse(entry.text()).map(mark -> new Found(entry, mark)).stream())
                        .toList(),
                each -> each.mark().sinceMs());
        mark = found.map(Found::mark);
        entry = found.map(Found::entry);
        return true;
    }

    /** @throws ExecutionException saying in its cause what would be right, if it is a right that is missing */
    void write(Mark next) throws ExecutionException, InterruptedException, TimeoutException {
        if (entry.isPresent()) {
            groups.write(group, new SideGroups.Entry(entry.get().partition(), next.json()), TIMEOUT);
        } else {
            var partition = groups.write(group, next.json(), topics.get(), TIMEOUT);
            entry = Optional.of(new SideGroups.Entry(partition, next.json()));
        }
        mark = Optional.of(next);
    }

    /** Takes it back; deleting the emptied group is tidiness and may fail. */
    void clear() throws ExecutionException, InterruptedException, TimeoutException {
        if (entry.isPresent()) {
            groups.write(group, new SideGroups.Entry(entry.get().partition(), ""), TIMEOUT);
        }
        mark = Optional.empty();
        entry = Optional.empty();
        try {
            groups.delete(List.of(group), TIMEOUT);
        } catch (ExecutionException | TimeoutException fault) {
            LOG.debug("The empty group {} stays until it expires: {}", group, fault.getMessage());
        }
    }
}
