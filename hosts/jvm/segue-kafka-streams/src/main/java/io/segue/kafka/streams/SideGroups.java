// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.ToLongFunction;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.DeleteConsumerGroupsOptions;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsResult;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListConsumerGroupsOptions;
import org.apache.kafka.clients.admin.ListGroupsOptions;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * One application's side groups, as MARKS.md has them: texts in the metadata of committed offsets. Safe from any
 * thread; every call blocks for the time it is given at the most.
 */
final class SideGroups {
    /** Nobody's lag: a monitor that looks at every group must not see one here. */
    private static final long OFFSET = (1L << 53) - 1;

    private final Admin admin;
    private final String application;

    /** What stands in a group, and where. */
    record Entry(TopicPartition partition, String text) {}

    SideGroups(Admin admin, String application) {
        this.admin = admin;
        this.application = application;
    }

    String application() {
        return application;
    }

    String prefix() {
        return application + ".segue.";
    }

    String mark(String instance) {
        return prefix() + "mark." + instance;
    }

    String presence(String instance) {
        return prefix() + "presence." + instance;
    }

    /** The wish for an assignor. */
    String assignor() {
        return prefix() + "assignor";
    }

    /** The presence groups that there are. */
    List<String> presences(Duration timeout) throws ExecutionException, InterruptedException, TimeoutException {
        return groups((int) timeout.toMillis())
                .get(timeout.toMillis(), TimeUnit.MILLISECONDS)
                .stream()
                .filter(group -> group.startsWith(presence("")))
                .toList();
    }

    private KafkaFuture<List<String>> groups(int timeoutMs) {
        try {
            return newGroups(timeoutMs);
        } catch (LinkageError beforeKafka4) {
            return oldGroups(timeoutMs);
        }
    }

    private KafkaFuture<List<String>> newGroups(int timeoutMs) {
        return admin.listGroups(new ListGroupsOptions().timeoutMs(timeoutMs)).all()
                .thenApply(all -> all.stream().map(GroupListing::groupId).toList());
    }

    @SuppressWarnings({"deprecation", "removal"})
    private KafkaFuture<List<String>> oldGroups(int timeoutMs) {
        return admin.listConsumerGroups(new ListConsumerGroupsOptions().timeoutMs(timeoutMs)).all()
                .thenApply(all -> all.stream().map(group -> group.groupId()).toList());
    }

    /**
     * Reads many groups in one request.
     *
     * @param failed gets the group and the cause of what could not be read
     * @return the entries of each group that could be read; no entries where there is no such group
     */
    Map<String, List<Entry>> read(Collection<String> groups, Duration timeout, FailedRead failed)
            throws InterruptedException {
        Map<String, List<Entry>> entries = new HashMap<>();
        if (groups.isEmpty()) {
            return entries;
        }
        long end = System.nanoTime() + timeout.toNanos();
        Map<String, ListConsumerGroupOffsetsSpec> all = new HashMap<>();
        groups.forEach(group -> all.put(group, new ListConsumerGroupOffsetsSpec()));
        ListConsumerGroupOffsetsResult result = admin.listConsumerGroupOffsets(
                all, new ListConsumerGroupOffsetsOptions().timeoutMs((int) timeout.toMillis()));
        for (String group : groups) {
            try {
                entries.put(group, entries(result.partitionsToOffsetAndMetadata(group)
                        .get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS)));
            } catch (ExecutionException fault) {
                if (fault.getCause() instanceof GroupIdNotFoundException) {
                    entries.put(group, List.of());
                } else {
                    failed.read(group, fault.getCause());
                }
            } catch (TimeoutException fault) {
                failed.read(group, fault);
            }
        }
        return entries;
    }

    /** Hears of a group that could not be read. */
    @FunctionalInterface
    interface FailedRead {
        void read(String group, Throwable cause);
    }

    /** The newest by the time inside it. */
    static <T> Optional<T> newest(List<T> documents, ToLongFunction<T> at) {
        return documents.stream().max(Comparator.comparingLong(at));
    }

    /**
     * Writes at partition 0 of the first topic that the broker knows.
     *
     * @return where it stands now
     */
    TopicPartition write(String group, String text, List<String> topics, Duration timeout)
            throws ExecutionException, InterruptedException, TimeoutException {
        ExecutionException unknown = null;
        for (String topic : topics) {
            try {
                TopicPartition partition = new TopicPartition(topic, 0);
                write(group, new Entry(partition, text), timeout);
                return partition;
            } catch (ExecutionException fault) {
                if (!(fault.getCause() instanceof UnknownTopicOrPartitionException)) {
                    throw fault;
                }
                unknown = fault;
            }
        }
        throw unknown != null ? unknown : new ExecutionException(
                new IllegalStateException("the instance reads no topic yet, so there is nowhere to write to"));
    }

    void write(String group, Entry entry, Duration timeout)
            throws ExecutionException, InterruptedException, TimeoutException {
        admin.alterConsumerGroupOffsets(
                        group, Map.of(entry.partition(), new OffsetAndMetadata(OFFSET, entry.text())),
                        new AlterConsumerGroupOffsetsOptions().timeoutMs((int) timeout.toMillis()))
                .all()
                .get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Fails where the right to delete is missing; emptying is what counts, and comes before. */
    void delete(Collection<String> groups, Duration timeout)
            throws ExecutionException, InterruptedException, TimeoutException {
        try {
            admin.deleteConsumerGroups(groups, new DeleteConsumerGroupsOptions().timeoutMs((int) timeout.toMillis()))
                    .all()
                    .get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException fault) {
            if (!(fault.getCause() instanceof GroupIdNotFoundException)) {
                throw fault;
            }
        }
    }

    private static List<Entry> entries(Map<TopicPartition, OffsetAndMetadata> offsets) {
        return offsets.entrySet().stream()
                .filter(offset -> offset.getValue() != null && !offset.getValue().metadata().isEmpty())
                .map(offset -> new Entry(offset.getKey(), offset.getValue().metadata()))
                .toList();
    }
}
