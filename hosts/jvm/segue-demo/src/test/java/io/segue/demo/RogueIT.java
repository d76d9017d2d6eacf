// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.openmbean.TabularData;

import io.segue.kafka.streams.AssignmentEvent;
import io.segue.kafka.streams.AssignmentListener;
import io.segue.kafka.streams.Segue;
import io.segue.kafka.streams.SegueTaskAssignor;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KafkaStreams.State;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A live group whose plugin hangs, crashes, or answers nonsense: two instances work on, with every stream thread, until
 * they are told to use a sound assignor of another plugin.
 */
class RogueIT {
    private static final int PARTITIONS = 4;
    private static final int KEYS = 100;
    private static final int BUDGET_MS = 200;
    private static final int MAX_FAULTS = 3;
    private static final Duration DEADLINE = Duration.ofSeconds(60);
    private static final Path PLUGIN = Path.of(System.getProperty("segue.test.plugins", "")).resolve("rogue.so");

    @TempDir
    private static Path directory;

    private static Broker broker;
    private static Admin admin;

    private final Faults faults = new Faults();
    private final Ledger ledger = new Ledger(PARTITIONS, handOver -> { });
    private final List<AssignmentEvent> events = new CopyOnWriteArrayList<>();
    private final List<KafkaStreams> instances = new ArrayList<>();
    private final AssignmentListener.Registration listening = SegueTaskAssignor.listen(events::add);
    private Input input;

    @BeforeAll
    static void begin() {
        assertThat(Files.isRegularFile(PLUGIN)).as("%s, which packaging/build makes", PLUGIN).isTrue();
        broker = Broker.start(directory.resolve("broker"));
        admin = Admin.create(Map.of("bootstrap.servers", broker.address()));
    }

    @AfterAll
    static void end() {
        admin.close();
        broker.close();
    }

    @AfterEach
    void close() {
        input.close();
        instances.parallelStream().forEach(streams -> streams.close(Duration.ofSeconds(10)));
        listening.close();
    }

    @ParameterizedTest
    @CsvSource({
        "process, loops, late, deadline: loops of",
        "process, crashes, died, was ended by signal 11",
        "process, gives-garbage, refused, bad-plan",
        "thread, dozes, late, its thread was given up"
    })
    void shouldGoOnWithoutItsPlugin(String isolation, String assignor, String count, String said) throws Exception {
        String application = "rogue-" + assignor;
        Topics topics = Topics.of(application);
        topics.create(admin, PARTITIONS, new Await(faults));
        input = new Input(broker.address(), topics.input(), new Workload(PARTITIONS, KEYS, 64, 1), 50, faults);
        input.preload(done -> { });

        start(application, "pod-1", assignor, isolation, topics);
        await("the fill", () -> ledger.processed() >= PARTITIONS * KEYS);
        input.start();
        int before = events.size();
        start(application, "pod-2", assignor, isolation, topics);
        await("a rebalance with both", () -> events.stream().skip(before).anyMatch(event -> event.processes() == 2));

        await("all at work on the first", () -> ledger.owners().equals(Map.of("pod-1", PARTITIONS))
                && ledger.allBusy(1_000) && running());
        assertThat(events).allSatisfy(event -> assertThat(event.fault().orElse("")).contains(said));
        assertThat(plans(application).get(count)).isPositive();
        System.out.printf("%s, budget %d ms: assigned within %d ms, no partition silent for more than %d ms%n", assignor,
                BUDGET_MS, events.stream().mapToLong(event -> event.elapsed().toMillis()).max().orElseThrow(),
                ledger.silences().stream().mapToLong(each -> each).max().orElseThrow());

        assertThat(Segue.of(instances.get(0)).swap("learner").get(DEADLINE.toSeconds(), TimeUnit.SECONDS))
                .isEqualTo("learner");
        await("even shares", () -> ledger.owners().equals(Map.of("pod-1", 2, "pod-2", 2)) && ledger.allBusy(1_000));
        assertThat(running()).isTrue();
        assertThat(ledger.everDoubled()).isFalse();
        faults.check();
    }

    private void start(String application, String name, String assignor, String isolation, Topics topics) {
        Properties config = new Properties();
        config.putAll(Map.of(
                "application.id", application,
                "bootstrap.servers", broker.address(),
                "client.id", name,
                "state.dir", directory.resolve(application + name).toString(),
                "acceptable.recovery.lag", 500,
                "heartbeat.interval.ms", 1_000,
                "consumer.auto.offset.reset", "earliest"));
        config.putAll(Map.of(
                "segue.assignor", assignor,
                "segue.plugin.path", PLUGIN.toString(),
                "segue.isolation", isolation,
                "segue.max.compute.ms", BUDGET_MS,
                "segue.max.faults", MAX_FAULTS,
                "segue.marks.poll.ms", 200));
        KafkaStreams streams = Segue.streams(CountingTopology.build(topics, name, ledger), config);
        streams.setUncaughtExceptionHandler(fault -> {
            faults.report("a stream thread of " + name + " died", fault);
            return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
        });
        streams.start();
        instances.add(streams);
    }

    private boolean running() {
        return instances.stream().allMatch(streams -> streams.state() == State.RUNNING
                && streams.metadataForLocalThreads().stream().allMatch(thread -> thread.threadState().equals("RUNNING")));
    }

    /** As JMX tells them, of this process. */
    private static Map<String, Long> plans(String application) throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName any = new ObjectName("io.segue.kafka.streams:type=Instance,application="
                + ObjectName.quote(application) + ",*");
        ObjectName bean = server.queryNames(any, null).iterator().next();
        TabularData table = (TabularData) server.getAttribute(bean, "Plans");
        Map<String, Long> plans = new java.util.HashMap<>();
        table.values().forEach(row -> {
            var pair = (javax.management.openmbean.CompositeData) row;
            plans.put((String) pair.get("key"), (Long) pair.get("value"));
        });
        return plans;
    }

    private interface Condition {
        boolean holds() throws Exception;
    }

    private void await(String what, Condition condition) {
        Awaitility.await(what).atMost(DEADLINE).pollInterval(Duration.ofMillis(50)).until(condition::holds);
    }
}
