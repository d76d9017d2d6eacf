// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.Properties;

import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.StandbyUpdateListener;

/** A Kafka Streams instance whose standby listener can be set without unseating segue's. */
final class SegueStreams extends KafkaStreams {
    private final SegueClients clients;

    SegueStreams(Topology topology, Properties config, SegueClients clients) {
        super(topology, config, clients);
        this.clients = clients;
        super.setStandbyUpdateListener(clients);
    }

    @Override
    public void setStandbyUpdateListener(StandbyUpdateListener listener) {
        super.setStandbyUpdateListener(listener == null ? clients : new BothListeners(clients, listener));
    }
}
