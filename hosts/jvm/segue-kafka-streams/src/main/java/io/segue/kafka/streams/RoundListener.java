// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.Collection;

import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.TopicPartition;

/**
 * Kafka Streams' own listener, and the rounds it saw told to the main consumer afterwards. Also where it throws, as it
 * does when it is fenced in the middle: the consumer changes hands all the same, and says so once.
 */
record RoundListener(ConsumerRebalanceListener streams, MainConsumer consumer) implements ConsumerRebalanceListener {
    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        try {
            streams.onPartitionsRevoked(partitions);
        } finally {
            consumer.revoked(partitions);
        }
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        try {
            streams.onPartitionsAssigned(partitions);
        } finally {
            consumer.assigned(partitions);
        }
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
        try {
            streams.onPartitionsLost(partitions);
        } finally {
            consumer.lost(partitions);
        }
    }
}
