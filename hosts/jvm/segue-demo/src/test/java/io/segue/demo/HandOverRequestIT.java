// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;

import io.segue.kafka.streams.Segue;
import io.segue.kafka.streams.SegueClients;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.Topology;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A caught-up copy asks by itself, whoever assigns: Kafka's default assignor would look only after ten minutes, so
 * that an owner change within the deadline can come from the request alone.
 */
class HandOverRequestIT {
    private static final int PARTITIONS = 4;
    private static final int KEYS = 2000;
    private static final Duration DEADLINE = Duration.ofSeconds(300);

    @TempDir
    private Path directory;

    private final Faults faults = new Faults();
    private final AtomicInteger handOvers = new AtomicInteger();
    private final Ledger ledger = new Ledger(PARTITIONS, handOver -> handOvers.incrementAndGet());
    private final Topics topics = Topics.of("request");
    private Broker broker;
    private Admin admin;
    private Input input;

    @BeforeEach
    void fill() {
        broker = Broker.start(directory.resolve("broker"));
        admin = Admin.create(Map.of("bootstrap.servers", broker.address()));
        topics.create(admin, PARTITIONS, new Await(faults));
        input = new Input(broker.address(), topics.input(), new Workload(PARTITIONS, KEYS, 64, 1), 50, faults);
        input.preload(done -> { });
    }

    @AfterEach
    void end() {
        input.close();
        admin.close();
        broker.close();
    }

    @Test
    void shouldHandOverLongBeforeTheProbingRebalance() {
        try (KafkaStreams first = start("pod-1")) {
            Awaitility.await("the fill").atMost(DEADLINE).until(() -> ledger.processed() >= PARTITIONS * KEYS);
            input.start();
            try (KafkaStreams second = start("pod-2")) {
                Awaitility.await("even shares").atMost(DEADLINE).until(() -> ledger.owners().getOrDefault("pod-2", 0)
                        == PARTITIONS / 2);
                assertThat(second.state().isRunningOrRebalancing()).isTrue();
            }
            assertThat(first.state().isRunningOrRebalancing()).isTrue();
        }
        assertThat(ledger.everDoubled()).isFalse();
        assertThat(handOvers).hasValueGreaterThanOrEqualTo(PARTITIONS / 2);
        faults.check();
    }

    /** As a framework would that makes the object itself: segue's clients, Kafka's assignor. */
    private KafkaStreams start(String name) {
        Topology topology = CountingTopology.build(topics, name, ledger);
        SegueClients clients = Segue.clients();
        KafkaStreams streams = new KafkaStreams(topology, config(name), clients);
        streams.setStandbyUpdateListener(clients);
        streams.start();
        return streams;
    }

    private Properties config(String name) {
        Properties config = new Properties();
        config.putAll(Map.of(
                "application.id", "request",
                "bootstrap.servers", broker.address(),
                "client.id", name,
                "state.dir", directory.resolve(name).toString(),
                "acceptable.recovery.lag", 500,
                "commit.interval.ms", 500,
                "session.timeout.ms", 600_000,
                "consumer.auto.offset.reset", "earliest"));
        return config;
    }
}
