// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.state.Stores;

/** One subtopology with two RocksDB stores: how often a key was seen, and its newest payload. */
final class CountingTopology {
    static final String COUNTS = "counts";
    static final String NEWEST = "newest";

    /** Of each task. */
    static final int STORES = 2;

    private CountingTopology() {
    }

    static Topology build(Topics topics, String instance, TaskWatch watch) {
        Topology topology = new Topology();
        topology.addSource(
                "input", Serdes.String().deserializer(), Serdes.ByteArray().deserializer(), topics.input());
        topology.addProcessor("count", () -> new CountProcessor(instance, watch), "input");
        topology.addStateStore(
                Stores.keyValueStoreBuilder(
                        Stores.persistentKeyValueStore(COUNTS), Serdes.String(), Serdes.Long()),
                "count");
        topology.addStateStore(
                Stores.keyValueStoreBuilder(
                        Stores.persistentKeyValueStore(NEWEST), Serdes.String(), Serdes.ByteArray()),
                "count");
        topology.addSink(
                "output",
                topics.output(),
                Serdes.String().serializer(),
                Serdes.ByteArray().serializer(),
                "count");
        return topology;
    }
}
