// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import io.segue.kafka.streams.DrainResult;
import io.segue.kafka.streams.Led;
import io.segue.kafka.streams.Segue;
import io.segue.kafka.streams.SegueClients;
import io.segue.kafka.streams.SegueInstance;
import io.segue.kafka.streams.SegueTaskAssignor;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KafkaStreams.State;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An application of two instances under {@code learner} that is told to use another assignor while input flows. The
 * first leads, because it was there first; the second is made as a framework makes one.
 */
class SwapIT {
    private static final String APPLICATION = "swaps";
    private static final int PARTITIONS = 4;
    private static final int KEYS = 200;
    private static final Duration DEADLINE = Duration.ofSeconds(300);

    @TempDir
    private Path directory;

    private final Faults faults = new Faults();
    private final Ledger ledger = new Ledger(PARTITIONS, handOver -> { });
    private final Topics topics = Topics.of("swap");
    private final Map<KafkaStreams, SegueInstance> instances = new LinkedHashMap<>();
    private Broker broker;
    private Admin admin;
    private Input input;
    private SegueInstance first;
    private SegueInstance second;

    @BeforeEach
    void scaleOut() {
        broker = Broker.start(directory.resolve("broker"));
        admin = Admin.create(Map.of("bootstrap.servers", broker.address()));
        topics.create(admin, PARTITIONS, new Await(faults));
        input = new Input(broker.address(), topics.input(), new Workload(PARTITIONS, KEYS, 64, 1), 50, faults);
        input.preload(done -> { });
        first = startOurs("pod-1");
        await("the fill", () -> ledger.processed() >= PARTITIONS * KEYS);
        input.start();
        second = startAsAFramework("pod-2");
        await("even shares", () -> ledger.owners().equals(Map.of("pod-1", 2, "pod-2", 2)) && ledger.allBusy(1_000));
    }

    @AfterEach
    void end() {
        input.close();
        instances.keySet().parallelStream().forEach(streams -> streams.close(DEADLINE));
        admin.close();
        broker.close();
    }

    @Test
    void shouldBeAssignedByAnotherWithoutARestart() throws Exception {
        await("the first to know that it leads", () -> leads(first, "learner"));
        assertThat(second.led()).isEmpty();

        assertThat(second.swap("balanced").get(DEADLINE.toSeconds(), TimeUnit.SECONDS)).isEqualTo("balanced");

        assertThat(first.led().map(Led::assignor)).contains("balanced");
        assertThat(presences()).anyMatch(text -> text.contains("\"client_id\":\"pod-1\"")
                && text.contains("\"configured\":\"learner\"") && text.contains("\"led\":{"));
        assertThat(second.swap("balancd")).failsWithin(DEADLINE).withThrowableThat()
                .withMessageContaining("did you mean balanced?");
        assertThat(first.assignor()).isEqualTo("balanced");

        wishAsATool("newest");
        await("both to refuse it", () -> presences().stream()
                .filter(text -> text.contains("\"swap_refused\":\"newest\"") && text.contains("\"assignor\":\"learner\""))
                .count() == 2);
        await("the first to lead with its own", () -> leads(first, "learner"));

        assertThat(first.swap("sticky").get(DEADLINE.toSeconds(), TimeUnit.SECONDS)).isEqualTo("sticky");
        assertThat(second.swapBack().get(DEADLINE.toSeconds(), TimeUnit.SECONDS)).isEqualTo("learner");
        await("no wish", () -> groups("assignor").isEmpty());
        good();
    }

    @Test
    void shouldDrainWhatAFrameworkMadeOnceTheAssignorHeedsMarks() throws Exception {
        assertThat(second.swap("scale-down").get(DEADLINE.toSeconds(), TimeUnit.SECONDS)).isEqualTo("scale-down");

        DrainResult result = second.drain(Duration.ofMinutes(10)).get(DEADLINE.toSeconds(), TimeUnit.SECONDS);

        assertThat(result).isEqualTo(DrainResult.EMPTIED);
        await("pod-2 closed", () -> instances.keySet().stream().anyMatch(each -> each.state() == State.NOT_RUNNING));
        await("all on pod-1", () -> ledger.owners().equals(Map.of("pod-1", PARTITIONS)) && ledger.allBusy(1_000));
        await("no mark", () -> groups("mark.").isEmpty());
        await("one presence", () -> groups("presence.").size() == 1);
        good();
    }

    private static boolean leads(SegueInstance instance, String assignor) {
        return instance.led().filter(led -> led.assignor().equals(assignor)).isPresent();
    }

    private SegueInstance startOurs(String name) {
        KafkaStreams streams = Segue.streams(CountingTopology.build(topics, name, ledger), config(name));
        streams.start();
        instances.put(streams, Segue.of(streams));
        return Segue.of(streams);
    }

    private SegueInstance startAsAFramework(String name) {
        SegueClients clients = Segue.clients();
        Properties config = config(name);
        config.put("task.assignor.class", SegueTaskAssignor.class.getName());
        KafkaStreams streams = new KafkaStreams(CountingTopology.build(topics, name, ledger), config, clients);
        streams.setStandbyUpdateListener(clients);
        SegueInstance instance = Segue.attach(streams, clients, config);
        streams.start();
        instances.put(streams, instance);
        return instance;
    }

    private Properties config(String name) {
        Properties config = new Properties();
        config.putAll(Map.of(
                "application.id", APPLICATION,
                "bootstrap.servers", broker.address(),
                "client.id", name,
                "state.dir", directory.resolve(name).toString(),
                "segue.marks.poll.ms", 200,
                "acceptable.recovery.lag", 500,
                "commit.interval.ms", 200,
                "heartbeat.interval.ms", 1_000,
                "session.timeout.ms", 600_000,
                "consumer.auto.offset.reset", "earliest"));
        return config;
    }

    /** At the place where a presence stands. */
    private void wishAsATool(String name) throws Exception {
        TopicPartition place = entries(groups("presence.").get(0)).keySet().iterator().next();
        String text = "{\"v\":1,\"kind\":\"assignor\",\"name\":\"" + name + "\",\"since_ms\":"
                + System.currentTimeMillis() + ",\"by\":\"test\"}";
        admin.alterConsumerGroupOffsets(
                        APPLICATION + ".segue.assignor", Map.of(place, new OffsetAndMetadata((1L << 53) - 1, text)))
                .all()
                .get();
    }

    private List<String> presences() throws Exception {
        List<String> texts = new ArrayList<>();
        for (String group : groups("presence.")) {
            entries(group).values().forEach(entry -> texts.add(entry.metadata()));
        }
        return texts;
    }

    private Map<TopicPartition, OffsetAndMetadata> entries(String group) throws Exception {
        return admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get();
    }

    private List<String> groups(String kind) throws Exception {
        return admin.listGroups().all().get().stream()
                .map(group -> group.groupId())
                .filter(id -> id.startsWith(APPLICATION + ".segue." + kind))
                .toList();
    }

    private interface Condition {
        boolean holds() throws Exception;
    }

    /** What the broker does not know yet is asked for again. */
    private void await(String what, Condition condition) {
        Awaitility.await(what).atMost(DEADLINE).pollInterval(Duration.ofMillis(50))
                .ignoreException(ExecutionException.class).until(condition::holds);
    }

    private void good() {
        assertThat(ledger.everDoubled()).isFalse();
        faults.check();
    }
}
