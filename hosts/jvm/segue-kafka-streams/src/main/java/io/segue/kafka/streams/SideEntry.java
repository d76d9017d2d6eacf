// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What stands in one side group, as it was seen last, whoever wrote it. For one thread. */
final class SideEntry<T> {
    private static final Logger LOG = LoggerFactory.getLogger(SideEntry.class);
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final SideGroups groups;
    private final String group;
    private final Format<T> format;
    private final Supplier<List<String>> topics;
    private Optional<T> known = Optional.empty();
    private List<TopicPartition> places = List.of();

    /**
     * A kind of document.
     *
     * @param parse empty for what is none
     * @param sinceMs by which the newest is found
     */
    record Format<T>(Function<String, Optional<T>> parse, Function<T, String> json, ToLongFunction<T> sinceMs) {}

    private record Found<T>(TopicPartition place, T document) {}

    /** @param topics where it is written if nobody has written it yet */
    SideEntry(SideGroups groups, String group, Format<T> format, Supplier<List<String>> topics) {
        this.groups = groups;
        this.group = group;
        this.format = format;
        this.topics = topics;
    }

    String group() {
        return group;
    }

    Optional<T> known() {
        return known;
    }

    /** Takes what was read of the group. */
    void see(List<SideGroups.Entry> entries) {
        List<Found<T>> found = new ArrayList<>();
        entries.forEach(entry -> format.parse().apply(entry.text())
                .ifPresent(document -> found.add(new Found<>(entry.partition(), document))));
        found.sort(Comparator.comparingLong((Found<T> each) -> format.sinceMs().applyAsLong(each.document()))
                .reversed());
        known = found.stream().map(Found::document).findFirst();
        places = found.stream().map(Found::place).toList();
    }

    /** @throws ExecutionException saying in its cause what would be right, if it is a right that is missing */
    void write(T next) throws ExecutionException, InterruptedException, TimeoutException {
        String text = format.json().apply(next);
        if (places.isEmpty()) {
            places = List.of(groups.write(group, text, topics.get(), TIMEOUT));
        } else {
            groups.write(group, new SideGroups.Entry(places.get(0), text), TIMEOUT);
        }
        known = Optional.of(next);
    }

    /** Takes it back, an older one at another place too; deleting the emptied group is tidiness and may fail. */
    void clear() throws ExecutionException, InterruptedException, TimeoutException {
        clear(TIMEOUT);
    }

    /** @param most for each request */
    void clear(Duration most) throws ExecutionException, InterruptedException, TimeoutException {
        for (TopicPartition place : places) {
            groups.write(group, new SideGroups.Entry(place, ""), most);
        }
        known = Optional.empty();
        places = List.of();
        try {
            groups.delete(List.of(group), most);
        } catch (ExecutionException | TimeoutException fault) {
            LOG.debug("The empty group {} stays until it expires: {}", group, fault.getMessage());
        }
    }
}
