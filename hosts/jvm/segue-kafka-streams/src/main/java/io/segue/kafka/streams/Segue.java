// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.Properties;

import org.apache.kafka.streams.KafkaClientSupplier;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.Topology;

/** Makes Kafka Streams instances whose learners ask for their hand-over. */
public final class Segue {
    private Segue() {
    }

    /** Like {@code new KafkaStreams(topology, config, clients)}. */
    public static KafkaStreams streams(Topology topology, Properties config, KafkaClientSupplier clients) {
        return new KafkaStreams(topology, config, clients);
    }
}
