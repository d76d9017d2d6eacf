// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import org.apache.kafka.common.TopicPartition;

/**
 * The partitions that the consumers of one instance own. Kafka Streams' own account of active tasks is not renewed by a
 * rebalance that only takes tasks away. Safe from any thread.
 */
final class Owned {
    private final Map<Object, Set<TopicPartition>> byConsumer = new HashMap<>();

    synchronized void add(Object consumer, Collection<TopicPartition> partitions) {
        byConsumer.computeIfAbsent(consumer, none -> new HashSet<>()).addAll(partitions);
    }

    synchronized void remove(Object consumer, Collection<TopicPartition> partitions) {
        byConsumer.computeIfAbsent(consumer, none -> new HashSet<>()).removeAll(partitions);
    }

    synchronized Set<TopicPartition> partitions() {
        Set<TopicPartition> all = new HashSet<>();
        byConsumer.values().forEach(all::addAll);
        return all;
    }

    /**
     * How many tasks these are.
     *
     * @param tasks the inputs of each task that Kafka Streams knows of; those that it does not know of yet are told
     *     apart by their number
     */
    int tasks(Collection<Set<TopicPartition>> tasks) {
        Set<TopicPartition> rest = partitions();
        int known = 0;
        for (Set<TopicPartition> task : tasks) {
            known += rest.removeAll(task) ? 1 : 0;
        }
        return known + (int) rest.stream().mapToInt(TopicPartition::partition).distinct().count();
    }
}
