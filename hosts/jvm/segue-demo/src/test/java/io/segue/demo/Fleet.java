// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/** One application whose instances are processes that can be killed. For one thread. */
final class Fleet implements AutoCloseable {
    private static final Duration DEADLINE = Duration.ofSeconds(300);
    private static final Duration LOOK = Duration.ofMillis(5);

    private final String application;
    private final String guarantee;
    private final String brokers;
    private final Admin admin;
    private final Path directory;
    private final int partitions;
    private final List<Pod> pods = new ArrayList<>();
    private int started;

    Fleet(String application, String guarantee, String brokers, Admin admin, Path directory, int partitions) {
        this.application = application;
        this.guarantee = guarantee;
        this.brokers = brokers;
        this.admin = admin;
        this.directory = directory;
        this.partitions = partitions;
    }

    /** New instances, without state, until there are so many; returns when they share the work evenly. */
    List<Pod> fillUpTo(int count) {
        pods.removeIf(pod -> !pod.alive());
        while (pods.size() < count) {
            pods.add(start(application + "-pod-" + ++started));
        }
        await(count + " instances with even shares, and no copies from before", () -> whole(pods)
                && pods.stream().allMatch(pod -> pod.open().size() == partitions / count
                        && Instance.directories(directory.resolve(pod.name())) == partitions / count));
        return List.copyOf(pods);
    }

    private Pod start(String name) {
        return Pod.start(brokers, application, name, directory, guarantee);
    }

    /** The same instance again, with the state it left behind. */
    Pod again(Pod killed) {
        Pod pod = start(killed.name());
        pods.add(pod);
        return pod;
    }

    Pod leader() {
        return pods.stream().max(Comparator.comparingLong(Pod::ledAt)).orElseThrow();
    }

    /** Stable, with these members and no others, and every task at work in one of them, exactly once. */
    boolean whole(Collection<Pod> expected) throws Exception {
        List<Integer> open = expected.stream().flatMap(pod -> pod.open().stream()).sorted().toList();
        if (!open.equals(IntStream.range(0, partitions).boxed().toList())) {
            return false;
        }
        ConsumerGroupDescription group =
                admin.describeConsumerGroups(List.of(application)).all().get().get(application);
        return group.groupState() == GroupState.STABLE && group.members().size() == expected.size()
                && group.members().stream().mapToInt(each -> each.assignment().topicPartitions().size()).sum()
                        == partitions
                && group.members().stream().allMatch(member -> expected.stream()
                        .anyMatch(pod -> member.clientId().startsWith(pod.name() + "-StreamThread-")));
    }

    /** As a tool does it: at the place where its presence stands. Returns when the mark does. */
    Place mark(Pod pod) {
        await("the presence of " + pod.name(), () -> presence(pod).isPresent());
        try {
            Place place = presence(pod).orElseThrow();
            String text = "{\"v\":1,\"kind\":\"leaving\",\"since_ms\":" + System.currentTimeMillis() + "}";
            admin.alterConsumerGroupOffsets(
                            markGroup(place.instance()),
                            Map.of(place.partition(), new OffsetAndMetadata((1L << 53) - 1, text)))
                    .all()
                    .get();
            return place;
        } catch (Exception fault) {
            throw new AssertionError("cannot mark " + pod.name(), fault);
        }
    }

    /** Where an instance has its presence, and so its mark. */
    record Place(String instance, TopicPartition partition) {}

    private Optional<Place> presence(Pod pod) throws Exception {
        String prefix = application + ".segue.presence.";
        for (String group : groups(prefix)) {
            for (var entry : entries(group).entrySet()) {
                if (entry.getValue().metadata().contains("\"client_id\":\"" + pod.name() + "\"")) {
                    return Optional.of(new Place(group.substring(prefix.length()), entry.getKey()));
                }
            }
        }
        return Optional.empty();
    }

    boolean marked(Place place) throws Exception {
        return entries(markGroup(place.instance())).values().stream().anyMatch(entry -> !entry.metadata().isEmpty());
    }

    /** Groups of marks that are there, emptied or not. */
    List<String> marks() throws Exception {
        return groups(application + ".segue.mark.");
    }

    private String markGroup(String instance) {
        return application + ".segue.mark." + instance;
    }

    private List<String> groups(String prefix) throws Exception {
        return admin.listGroups().all().get().stream()
                .map(group -> group.groupId())
                .filter(id -> id.startsWith(prefix))
                .toList();
    }

    private Map<TopicPartition, OffsetAndMetadata> entries(String group) throws Exception {
        return admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get();
    }

    interface Condition {
        boolean holds() throws Exception;
    }

    void await(String what, Condition condition) {
        if (!holdsWithin(DEADLINE, condition)) {
            throw new AssertionError(what + " (" + guarantee + "), not within " + DEADLINE + ": " + this);
        }
    }

    /** Whether it comes to hold in that time. What the broker does not know yet is asked for again. */
    static boolean holdsWithin(Duration most, Condition condition) {
        try {
            Awaitility.await().atMost(most).pollDelay(Duration.ZERO).pollInterval(LOOK)
                    .ignoreException(ExecutionException.class).until(condition::holds);
            return true;
        } catch (ConditionTimeoutException late) {
            return false;
        }
    }

    /** Every instance that is or was part of it lately, with the last that it has told. */
    @Override
    public String toString() {
        return pods.toString();
    }

    @Override
    public void close() {
        pods.forEach(Pod::kill);
    }
}
