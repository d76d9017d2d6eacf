// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import io.segue.kafka.streams.AssignmentEvent;
import io.segue.kafka.streams.AssignmentListener;
import io.segue.kafka.streams.Segue;
import io.segue.kafka.streams.SegueTaskAssignor;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KafkaStreams.State;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.awaitility.Awaitility;

/**
 * An application that counts while input flows: four partitions, instances in this JVM that join one after the other, and
 * what their leader says of each rebalance. The first one leads.
 */
final class LiveGroup implements AutoCloseable {
    static final int PARTITIONS = 4;

    private static final int KEYS = 1_000;
    private static final Duration DEADLINE = Duration.ofMinutes(5);

    private final Broker broker;
    private final Path directory;
    private final String application;
    private final Map<String, Object> settings;
    private final Faults faults = new Faults();
    private final Ledger ledger = new Ledger(PARTITIONS, handOver -> { });
    private final List<AssignmentEvent> events = new CopyOnWriteArrayList<>();
    private final AssignmentListener.Registration listening = SegueTaskAssignor.listen(events::add);
    private final List<KafkaStreams> instances = new ArrayList<>();
    private final Topics topics;
    private final Input input;

    /** @param settings those of segue, of all instances */
    LiveGroup(Broker broker, Path directory, String application, Map<String, Object> settings) {
        this.broker = broker;
        this.directory = directory;
        this.application = application;
        this.settings = settings;
        topics = Topics.of(application);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.address()))) {
            topics.create(admin, PARTITIONS, new Await(faults));
        }
        input = new Input(broker.address(), topics.input(), new Workload(PARTITIONS, KEYS, 64, 1), 50, faults);
    }

    /** Fills the state of one instance, and begins to write more. */
    void begin(String name) {
        input.preload(done -> { });
        join(name);
        await("the fill", () -> ledger.processed() >= PARTITIONS * KEYS);
        input.start();
    }

    void join(String name) {
        Properties config = new Properties();
        config.putAll(Map.of(
                "application.id", application,
                "bootstrap.servers", broker.address(),
                "client.id", name,
                "state.dir", directory.resolve(application + name).toString(),
                "acceptable.recovery.lag", 500,
                "commit.interval.ms", 200,
                "heartbeat.interval.ms", 1_000,
                "session.timeout.ms", 600_000,
                "segue.marks.poll.ms", 200,
                "consumer.auto.offset.reset", "earliest"));
        config.putAll(settings);
        KafkaStreams streams = Segue.streams(CountingTopology.build(topics, name, ledger), config);
        streams.setUncaughtExceptionHandler(fault -> {
            faults.report("a stream thread of " + name + " died", fault);
            return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
        });
        streams.start();
        instances.add(streams);
    }

    /** Waits until each instance works on so many partitions, and all of its stream threads run. */
    void awaitShares(Map<String, Integer> owners) {
        await("shares of " + owners, () -> ledger.owners().equals(owners) && ledger.allBusy(1_000) && running());
    }

    /** Blocks until a rebalance was led by another assignor. */
    void swap(String assignor) throws Exception {
        assertThat(Segue.of(instances.get(0)).swap(assignor).get(DEADLINE.toSeconds(), TimeUnit.SECONDS))
                .isEqualTo(assignor);
    }

    /** What the leader has said so far. */
    List<AssignmentEvent> events() {
        return List.copyOf(events);
    }

    long longestSilenceMs() {
        return ledger.silences().stream().mapToLong(each -> each).max().orElseThrow();
    }

    /** No stream thread has died, and no task had two owners. */
    void good() {
        assertThat(instances).allSatisfy(streams -> {
            assertThat(streams.state().isRunningOrRebalancing()).isTrue();
            assertThat(streams.metadataForLocalThreads()).hasSize(1)
                    .noneMatch(thread -> thread.threadState().matches("PENDING_SHUTDOWN|DEAD"));
        });
        assertThat(ledger.everDoubled()).isFalse();
        faults.check();
    }

    private boolean running() {
        return instances.stream().allMatch(streams -> streams.state() == State.RUNNING
                && streams.metadataForLocalThreads().stream().allMatch(thread -> thread.threadState().equals("RUNNING")));
    }

    interface Condition {
        boolean holds() throws Exception;
    }

    void await(String what, Condition condition) {
        Awaitility.await(what).atMost(DEADLINE).pollInterval(Duration.ofMillis(50)).until(condition::holds);
    }

    @Override
    public void close() {
        input.close();
        instances.parallelStream().forEach(streams -> streams.close(DEADLINE));
        listening.close();
    }
}
