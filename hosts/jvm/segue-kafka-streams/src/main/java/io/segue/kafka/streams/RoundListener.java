// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.Collection;

import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.TopicPartition;

/** Kafka Streams' own listener, and the rounds it saw told to the main consumer afterwards. */
record RoundListener(ConsumerRebalanceListener streams, MainConsumer consumer) implements ConsumerRebalanceListener {
    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        streams.onPartitionsRevoked(partitions);
        consumer.revoked(partitions);
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        streams.onPartitionsAssigned(partitions);
        consumer.assigned(partitions);
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
        streams.onPartitionsLost(partitions);
        consumer.lost(partitions);
    }
}
