// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes that are killed, not closed, at some moment of a drain. Whoever it is, the group is whole again, the drain
 * ends, and no record is lost; exactly-once, none is counted twice either. {@code segue.test.kill.ms} fixes the moment.
 */
class KilledDrainIT {
    private static final String APPLICATION = "killed";
    private static final String EXACTLY_ONCE = "exactly_once_v2";
    private static final int PARTITIONS = 6;
    private static final int RATE = 50;
    private static final int LATEST_KILL_MS = 5_000;
    private static final Duration DEADLINE = Duration.ofSeconds(90);

    @TempDir
    private Path directory;

    private final Faults faults = new Faults();
    private final Workload workload = new Workload(PARTITIONS, 500, 64, 1);
    private final Topics topics = Topics.of(APPLICATION);
    private final Map<String, Process> processes = new TreeMap<>();
    private final int killMs = Integer.getInteger("segue.test.kill.ms", new Random().nextInt(LATEST_KILL_MS));
    private Broker broker;
    private Admin admin;
    private Input input;
    private OutputWatch output;

    @BeforeEach
    void begin() {
        broker = Broker.start(directory.resolve("broker"));
        admin = Admin.create(Map.of("bootstrap.servers", broker.address()));
        topics.create(admin, PARTITIONS, new Await(faults));
        input = new Input(broker.address(), topics.input(), workload, RATE, faults);
        input.preload(done -> { });
    }

    @AfterEach
    void end() throws InterruptedException {
        for (Process process : processes.values()) {
            process.destroyForcibly().waitFor();
        }
        input.close();
        output.close();
        admin.close();
        broker.close();
    }

    @Test
    void shouldBeWholeAgainWhenTheLeaverIsKilled() throws Exception {
        drainAndKill("pod-3", EXACTLY_ONCE);

        await("all on the others", () -> whole(Set.of("pod-1", "pod-2")));
        audit(EXACTLY_ONCE);
    }

    @Test
    void shouldEndTheDrainWhenALearnersProcessIsKilled() throws Exception {
        drainAndKill("pod-2", "at_least_once");

        await("pod-3 drained", () -> !processes.get("pod-3").isAlive());
        await("all on pod-1", () -> whole(Set.of("pod-1")));
        audit("at_least_once");
    }

    @Test
    void shouldEndTheDrainWhenTheLeaderIsKilled() throws Exception {
        drainAndKill("pod-1", EXACTLY_ONCE);

        await("pod-3 drained", () -> !processes.get("pod-3").isAlive());
        await("all on pod-2", () -> whole(Set.of("pod-2")));
        assertThat(processes.get("pod-3").exitValue()).isZero();
        audit(EXACTLY_ONCE);
    }

    private void drainAndKill(String victim, String guarantee) throws Exception {
        output = new OutputWatch(broker.address(), topics.output(), settings(guarantee), faults);
        input.start();
        for (String name : List.of("pod-1", "pod-2", "pod-3")) {
            processes.put(name, DrainedProcess.start(broker.address(), APPLICATION, APPLICATION, name,
                    directory.resolve(name), guarantee));
            await(name + " has its share", () -> whole(processes.keySet()) && even());
        }
        mark("pod-3");
        // The moment is the test's variable, not a wait for something.
        TimeUnit.MILLISECONDS.sleep(killMs);
        processes.get(victim).destroyForcibly().waitFor();
    }

    private static Settings settings(String guarantee) {
        return new Settings(PARTITIONS, 1, 64, RATE, 3, 1, guarantee.equals(EXACTLY_ONCE), 1_000, 0, 500, 1, 90, false);
    }

    /** As a tool marks it: at the place where its presence stands. */
    private void mark(String clientId) throws Exception {
        Map<String, TopicPartition> found = new HashMap<>();
        await("the presence of " + clientId, () -> {
            for (String group : groups("presence")) {
                admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get().forEach((place, entry) -> {
                    if (entry.metadata().contains("\"client_id\":\"" + clientId + "\"")) {
                        found.put(group.substring(group.lastIndexOf('.') + 1), place);
                    }
                });
            }
            return !found.isEmpty();
        });
        for (Map.Entry<String, TopicPartition> each : found.entrySet()) {
            String text = "{\"v\":1,\"kind\":\"leaving\",\"since_ms\":" + System.currentTimeMillis() + "}";
            admin.alterConsumerGroupOffsets(APPLICATION + ".segue.mark." + each.getKey(),
                    Map.of(each.getValue(), new OffsetAndMetadata((1L << 53) - 1, text))).all().get();
        }
    }

    private List<String> groups(String kind) throws Exception {
        return admin.listGroups().all().get().stream()
                .map(group -> group.groupId())
                .filter(id -> id.startsWith(APPLICATION + ".segue." + kind + "."))
                .toList();
    }

    /** Stable, all partitions at work, and nobody in it but these. */
    private boolean whole(Collection<String> names) throws Exception {
        ConsumerGroupDescription group = describe();
        int assigned = group.members().stream().mapToInt(member -> member.assignment().topicPartitions().size()).sum();
        return group.groupState() == GroupState.STABLE && assigned == PARTITIONS
                && group.members().size() == names.size()
                && group.members().stream().allMatch(member ->
                        names.stream().anyMatch(name -> member.clientId().startsWith(name + "-StreamThread-")));
    }

    private boolean even() throws Exception {
        ConsumerGroupDescription group = describe();
        return group.members().stream().allMatch(member ->
                member.assignment().topicPartitions().size() == PARTITIONS / group.members().size());
    }

    private ConsumerGroupDescription describe() throws Exception {
        return admin.describeConsumerGroups(List.of(APPLICATION)).all().get().get(APPLICATION);
    }

    private void audit(String guarantee) throws InterruptedException {
        input.stop();
        await("the last output", () -> output.hasAll(input.sent()));
        Verdict verdict = new Audit(workload, input.sent()).examine(output::emissions, List.of(), false);
        assertThat(verdict.lost()).as("killed after %d ms", killMs).isZero();
        if (guarantee.equals(EXACTLY_ONCE)) {
            assertThat(verdict.doubled()).as("killed after %d ms", killMs).isZero();
            assertThat(verdict.miscounted()).as("killed after %d ms", killMs).isZero();
        }
        faults.check();
    }

    private interface Condition {
        boolean holds() throws Exception;
    }

    /** A group that does not exist yet is asked for again. */
    private void await(String what, Condition condition) {
        Awaitility.await(what + ", killed after " + killMs + " ms").atMost(DEADLINE)
                .pollInterval(Duration.ofMillis(100))
                .ignoreException(ExecutionException.class).until(condition::holds);
    }
}
