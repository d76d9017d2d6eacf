// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;

import io.segue.kafka.streams.DrainResult;
import io.segue.kafka.streams.Segue;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KafkaStreams.State;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An application that has to log in and may do no more than it is allowed to; the harness comes in by another door. */
class SecuredDrainIT {
    private static final String APPLICATION = "secured";
    private static final int PARTITIONS = 4;
    private static final Duration DEADLINE = Duration.ofSeconds(60);

    @TempDir
    private Path directory;

    private final Faults faults = new Faults();
    private final Ledger ledger = new Ledger(PARTITIONS, handOver -> { });
    private final Topics topics = Topics.of("secured");
    private final List<KafkaStreams> instances = new ArrayList<>();
    private Broker broker;
    private String secured;
    private Admin admin;
    private Input input;

    @BeforeEach
    void begin() throws Exception {
        secured = "127.0.0.1:" + Broker.freePort();
        broker = Broker.start(directory.resolve("broker"), this::secure);
        admin = Admin.create(Map.of("bootstrap.servers", broker.address()));
        topics.create(admin, PARTITIONS, new Await(faults));
        allow(ResourceType.TOPIC, topics.input(), PatternType.LITERAL, AclOperation.READ);
        allow(ResourceType.TOPIC, topics.output(), PatternType.LITERAL, AclOperation.WRITE);
        allow(ResourceType.TOPIC, APPLICATION + "-", PatternType.PREFIXED, AclOperation.ALL);
        allow(ResourceType.GROUP, APPLICATION, PatternType.LITERAL, AclOperation.READ);
        input = new Input(broker.address(), topics.input(), new Workload(PARTITIONS, 500, 64, 1), 50, faults);
        input.preload(done -> { });
    }

    @AfterEach
    void end() {
        input.close();
        instances.parallelStream().forEach(streams -> streams.close(Duration.ofSeconds(10)));
        admin.close();
        broker.close();
    }

    @Test
    void shouldDrainWithTheApplicationsOwnLoginAndNoMoreRightsThanDocumented() throws Exception {
        allow(ResourceType.GROUP, APPLICATION + ".segue.", PatternType.PREFIXED, AclOperation.READ);
        allow(ResourceType.GROUP, APPLICATION + ".segue.", PatternType.PREFIXED, AclOperation.DELETE);
        startBoth();

        DrainResult result = Segue.of(instances.get(1)).drain(Duration.ofMinutes(5)).get(60, TimeUnit.SECONDS);

        assertThat(result).isEqualTo(DrainResult.EMPTIED);
        await("work without pod-2", () -> ledger.owners().equals(Map.of("pod-1", PARTITIONS)) && ledger.allBusy(1_000));
        assertThat(sideGroups("mark")).isEmpty();
        assertThat(sideGroups("presence")).hasSize(1);
        faults.check();
    }

    @Test
    void shouldWorkAsBeforeAndSayWhichRightIsMissing() throws Exception {
        startBoth();

        assertThatThrownBy(() -> Segue.of(instances.get(1)).drain(Duration.ofMinutes(5)).get(30, TimeUnit.SECONDS))
                .hasMessageContaining("Read and Delete on groups with the prefix 'secured.segue.'");
        assertThat(instances).allMatch(streams -> streams.state() == State.RUNNING);
        assertThat(ledger.owners().values()).containsOnly(PARTITIONS / 2);
        faults.check();
    }

    private void secure(Properties config) {
        config.merge("listeners", ",SASL_PLAINTEXT://" + secured, (old, more) -> old + more.toString());
        config.merge("advertised.listeners", ",SASL_PLAINTEXT://" + secured, (old, more) -> old + more.toString());
        config.merge("listener.security.protocol.map", ",SASL_PLAINTEXT:SASL_PLAINTEXT",
                (old, more) -> old + more.toString());
        config.put("sasl.enabled.mechanisms", "PLAIN");
        config.put("listener.name.sasl_plaintext.plain.sasl.jaas.config",
                "org.apache.kafka.common.security.plain.PlainLoginModule required user_app=\"pass\";");
        config.put("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer");
        config.put("super.users", "User:ANONYMOUS");
    }

    private void allow(ResourceType type, String name, PatternType pattern, AclOperation operation) throws Exception {
        admin.createAcls(List.of(new AclBinding(
                        new ResourcePattern(type, name, pattern),
                        new AccessControlEntry("User:app", "*", operation, AclPermissionType.ALLOW))))
                .all()
                .get();
    }

    private void startBoth() throws IOException {
        start("pod-1");
        await("the fill", () -> ledger.processed() >= PARTITIONS * 500);
        input.start();
        start("pod-2");
        await("even shares", () -> ledger.owners().size() == 2
                && ledger.owners().values().stream().allMatch(share -> share == PARTITIONS / 2)
                && ledger.unchangedForMs() > 2_000 && ledger.allBusy(1_000)
                && instances.stream().allMatch(streams -> streams.state() == State.RUNNING));
    }

    private void start(String name) {
        Properties config = new Properties();
        config.putAll(Map.of(
                "application.id", APPLICATION,
                "bootstrap.servers", secured,
                "client.id", name,
                "state.dir", directory.resolve(name).toString(),
                "segue.assignor", "scale-down",
                "acceptable.recovery.lag", 500,
                "commit.interval.ms", 500,
                "heartbeat.interval.ms", 1_000,
                "consumer.auto.offset.reset", "earliest"));
        config.putAll(Map.of(
                "security.protocol", "SASL_PLAINTEXT",
                "sasl.mechanism", "PLAIN",
                "sasl.jaas.config", "org.apache.kafka.common.security.plain.PlainLoginModule required"
                        + " username=\"app\" password=\"pass\";"));
        KafkaStreams streams = Segue.streams(CountingTopology.build(topics, name, ledger), config);
        streams.start();
        instances.add(streams);
    }

    private List<String> sideGroups(String kind) throws Exception {
        return admin.listGroups().all().get().stream()
                .map(group -> group.groupId())
                .filter(id -> id.startsWith(APPLICATION + ".segue." + kind + "."))
                .toList();
    }

    private interface Condition {
        boolean holds() throws Exception;
    }

    private void await(String what, Condition condition) {
        Awaitility.await(what).atMost(DEADLINE).pollInterval(Duration.ofMillis(50)).until(condition::holds);
    }
}
