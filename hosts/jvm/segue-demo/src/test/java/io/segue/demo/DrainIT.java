// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.Collectors;

import javax.management.InstanceNotFoundException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.segue.kafka.streams.DrainResult;
import io.segue.kafka.streams.DrainState.Phase;
import io.segue.kafka.streams.Segue;
import io.segue.kafka.streams.SegueInstance;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.MemberToRemove;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.CloseOptions.GroupMembershipOperation;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KafkaStreams.State;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Drains on a real broker: the session timeout is longer than any deadline here, so that nobody may wait for it. */
class DrainIT {
    private static final AtomicInteger RUNS = new AtomicInteger();
    private static final int PARTITIONS = 6;
    private static final int KEYS = 1000;
    private static final Duration DEADLINE = Duration.ofSeconds(300);
    private static final Duration LONG = Duration.ofMinutes(10);

    @TempDir
    private static Path brokers;

    private static Broker broker;
    private static Admin admin;

    @TempDir
    private Path directory;

    private final String application = "drains-" + RUNS.incrementAndGet();
    private final Topics topics = Topics.of(application);
    private final Faults faults = new Faults();
    private final AtomicInteger handOvers = new AtomicInteger();
    private final Ledger ledger = new Ledger(PARTITIONS, handOver -> handOvers.incrementAndGet());
    private final List<KafkaStreams> instances = new ArrayList<>();
    private Input input;

    @BeforeAll
    static void begin() {
        broker = Broker.start(brokers);
        admin = Admin.create(Map.of("bootstrap.servers", broker.address()));
    }

    @AfterAll
    static void close() {
        admin.close();
        broker.close();
    }

    @BeforeEach
    void fill() {
        topics.create(admin, PARTITIONS, new Await(faults));
        input = new Input(broker.address(), topics.input(), new Workload(PARTITIONS, KEYS, 64, 1), 50, faults);
        input.preload(done -> { });
    }

    @AfterEach
    void end() {
        input.close();
        instances.parallelStream().forEach(streams -> streams.close(DEADLINE));
    }

    @Test
    void shouldEmptyAndLeaveWhileTheOthersGoOn() throws Exception {
        scaleTo(3, Map.of());
        int before = handOvers.get();

        DrainResult result = segue(2).drain(LONG).get(DEADLINE.toSeconds(), TimeUnit.SECONDS);

        assertThat(result).isEqualTo(DrainResult.EMPTIED);
        assertThat(instances.get(2).state()).isEqualTo(State.NOT_RUNNING);
        await("work without pod-3", () -> shares().equals(Map.of("pod-1", 3, "pod-2", 3)) && busy());
        assertThat(handOvers.get() - before).isEqualTo(2);
        await("a group of two", () -> members().size() == 2);
        await("no mark", () -> sideGroups("mark").isEmpty());
        await("two presences", () -> sideGroups("presence").size() == 2);
        good();
    }

    @Test
    void shouldLeaveAtOnceAsAStaticMemberToo() throws Exception {
        scaleTo(2, Map.of("group.instance.id", "static"));

        segue(1).drain(LONG).get(DEADLINE.toSeconds(), TimeUnit.SECONDS);

        await("a group of one", () -> members().size() == 1);
        good();
    }

    @Test
    void shouldStayEmptyWhenToldTo() throws Exception {
        scaleTo(2, Map.of());

        DrainResult result = segue(1).drainAndStay(LONG).get(DEADLINE.toSeconds(), TimeUnit.SECONDS);

        assertThat(result).isEqualTo(DrainResult.EMPTIED);
        assertThat(segue(1).drainState().phase()).isEqualTo(Phase.EMPTY);
        assertThat(segue(1).drainState().readyToStop()).isTrue();
        await("pod-2 at work, which may be in a round of the others", () -> instances.get(1).state() == State.RUNNING);
        assertThat(members()).hasSize(2);
        instances.get(1).close(DEADLINE);
        await("a group of one", () -> members().size() == 1);
        await("no mark", () -> sideGroups("mark").isEmpty());
        good();
    }

    @Test
    void shouldGoBackToWhereItWasWhenCancelled() throws Exception {
        scaleTo(2, Map.of());
        segue(1).drainAndStay(LONG).get(DEADLINE.toSeconds(), TimeUnit.SECONDS);

        assertThat(segue(1).cancelDrain().get(DEADLINE.toSeconds(), TimeUnit.SECONDS)).isTrue();

        await("even shares again", () -> shares().equals(Map.of("pod-1", 3, "pod-2", 3)) && busy());
        assertThat(segue(1).drainState().phase()).isEqualTo(Phase.RUNNING);
        await("no mark", () -> sideGroups("mark").isEmpty());
        good();
    }

    /** A deadline of now: what is there has to go at once, learned or not. */
    @Test
    void shouldForceAwayWhatIsLeftAtTheDeadline() throws Exception {
        scaleTo(2, Map.of());

        DrainResult result = segue(1).drain(Duration.ZERO).get(DEADLINE.toSeconds(), TimeUnit.SECONDS);

        assertThat(result).isEqualTo(DrainResult.TIMED_OUT);
        await("work without pod-2", () -> shares().equals(Map.of("pod-1", PARTITIONS)) && busy());
        good();
    }

    @Test
    void shouldHeedAMarkThatAToolWroteFromOutside() throws Exception {
        scaleTo(2, Map.of());
        Known second = known("pod-2");

        mark(second, System.currentTimeMillis(), LONG);

        await("pod-2 closed", () -> instances.get(1).state() == State.NOT_RUNNING);
        await("work without pod-2", () -> shares().equals(Map.of("pod-1", PARTITIONS)) && busy());
        await("no mark", () -> sideGroups("mark").isEmpty());
        good();
    }

    @Test
    void shouldGoOnWithADrainAfterARestart() throws Exception {
        scaleTo(2, Map.of());
        Known second = known("pod-2");
        leave(1);
        mark(second, System.currentTimeMillis(), LONG);

        start("pod-2", Map.of());

        await("pod-2 closed again", () -> instances.get(2).state() == State.NOT_RUNNING);
        await("work without pod-2", () -> shares().equals(Map.of("pod-1", PARTITIONS)) && busy());
        await("no mark", () -> sideGroups("mark").isEmpty());
        good();
    }

    @Test
    void shouldForgetADrainThatWasOverBeforeTheRestart() throws Exception {
        scaleTo(2, Map.of());
        Known second = known("pod-2");
        leave(1);
        mark(second, System.currentTimeMillis() - 10_000, Duration.ofSeconds(5));

        start("pod-2", Map.of());

        await("even shares", () -> shares().equals(Map.of("pod-1", 3, "pod-2", 3)) && busy());
        await("no mark", () -> sideGroups("mark").isEmpty());
        await("pod-2 at work", () -> instances.get(2).state() == State.RUNNING);
        good();
    }

    /** What a pod's end looks like: the hook, which returns when the instance is empty, and then SIGTERM. */
    @Test
    void shouldBeEmptyWhenTheHookOfTheExampleManifestEnds() throws Exception {
        scaleTo(2, Map.of("segue.http.port", 0));
        int port = segue(1).httpPort().orElseThrow();
        File log = directory.resolve("hook.log").toFile();
        assertThat(ManifestCommand.of("deployment.yaml", "/readinessProbe/exec/command", port).run(log)).isZero();

        int status = ManifestCommand.of("deployment.yaml", "/lifecycle/preStop/exec/command", port).run(log);

        assertThat(status).isZero();
        assertThat(segue(1).drainState().phase()).isEqualTo(Phase.EMPTY);
        await("work without pod-2", () -> shares().equals(Map.of("pod-1", PARTITIONS)) && busy());
        instances.get(1).close(DEADLINE);
        await("a group of one", () -> members().size() == 1);
        good();
    }

    /** A pod whose application is gone already is not held up. */
    @Test
    void shouldLetAPodGoWhoseApplicationDoesNotAnswer() throws Exception {
        File log = directory.resolve("hook.log").toFile();
        // Bound and not listened on: nobody answers there, nor can anybody come to.
        try (Socket nobody = new Socket()) {
            nobody.bind(new InetSocketAddress(Ports.HOST, 0));
            int port = nobody.getLocalPort();

            assertThat(ManifestCommand.of("deployment.yaml", "/lifecycle/preStop/exec/command", port).run(log)).isZero();
            assertThat(ManifestCommand.of("deployment.yaml", "/readinessProbe/exec/command", port).run(log)).isNotZero();
        }
    }

    @Test
    void shouldBeDrainedOverHttp() throws Exception {
        scaleTo(2, Map.of("segue.http.port", 0, "segue.http.token", "secret"));
        int port = segue(1).httpPort().orElseThrow();

        assertThat(http(port, "GET", "/ready").statusCode()).isEqualTo(200);
        // It stays until it has been looked at: without that it would go in the middle of a slow look.
        JsonNode marked = new ObjectMapper().readTree(http(port, "POST", "/drain", "{\"stay\":true}").body());
        JsonNode again = new ObjectMapper().readTree(http(port, "POST", "/drain", "{\"stay\":true}").body());

        assertThat(marked.path("state").asText()).isEqualTo("draining");
        assertThat(marked.path("tasks_left").asInt()).isEqualTo(3);
        assertThat(marked.path("timestamp").asLong()).isPositive();
        assertThat(again.path("since_ms")).isEqualTo(marked.path("since_ms"));
        assertThat(http(port, "GET", "/metrics").body()).contains("segue_leaving{");
        assertThat(http(port, "POST", "/drain", "{\"stay\":false}").statusCode()).isEqualTo(200);
        await("pod-2 closed", () -> instances.get(1).state() == State.NOT_RUNNING);
        await("a port that nobody serves", () -> refused(port));
        good();
    }

    @Test
    void shouldShowItselfInJmxWhileItRuns() throws Exception {
        scaleTo(2, Map.of());
        ObjectName all = new ObjectName("io.segue.kafka.streams:type=Instance,*");
        var beans = ManagementFactory.getPlatformMBeanServer();
        ObjectName second = beans.queryNames(all, null).stream()
                .filter(name -> name.getKeyProperty("instance").contains(known("pod-2").instance()))
                .findFirst()
                .orElseThrow();
        beans.invoke(second, "drain", new Object[] {600_000L}, new String[] {"long"});

        await("the mark", () -> !"running".equals(state(beans, second)));
        await("pod-2 closed", () -> instances.get(1).state() == State.NOT_RUNNING);
        await("no bean of it", () -> !beans.isRegistered(second));
        good();
    }

    private static Object state(MBeanServer beans, ObjectName name) throws Exception {
        try {
            return beans.getAttribute(name, "State");
        } catch (InstanceNotFoundException over) {
            return "over";
        }
    }

    @Test
    void shouldDrainExactlyOnceOnTwoThreads() throws Exception {
        scaleTo(2, Map.of("processing.guarantee", "exactly_once_v2", "num.stream.threads", 2));

        DrainResult result = segue(1).drain(LONG).get(DEADLINE.toSeconds(), TimeUnit.SECONDS);

        assertThat(result).isEqualTo(DrainResult.EMPTIED);
        await("work without pod-2", () -> shares().equals(Map.of("pod-1", PARTITIONS)) && busy());
        good();
    }

    /** What the application does when it hears of the end runs on no thread that the closing needs. */
    @Test
    void shouldLetTheApplicationCloseWhenItHearsThatTheInstanceIsEmpty() throws Exception {
        scaleTo(2, Map.of());

        segue(1).drainAndStay(LONG)
                .thenAccept(result -> instances.get(1).close(DEADLINE))
                .get(DEADLINE.toSeconds(), TimeUnit.SECONDS);

        assertThat(instances.get(1).state()).isEqualTo(State.NOT_RUNNING);
        await("no mark", () -> sideGroups("mark").isEmpty());
        await("a group of one", () -> members().size() == 1);
        good();
    }

    /** The first of the three leads, because it was there first. The next reads the groups. */
    @Test
    void shouldGoOnWhenTheLeaderIsGoneInTheMiddle() throws Exception {
        shouldGoOnWithout(0, "pod-2");
    }

    @Test
    void shouldGoOnWhenALearnersInstanceIsGoneInTheMiddle() throws Exception {
        shouldGoOnWithout(1, "pod-1");
    }

    private void shouldGoOnWithout(int gone, String heir) throws Exception {
        scaleTo(3, index -> index == gone ? Map.of("group.instance.id", "static") : Map.of());
        segue(2).drain(LONG);
        await("the mark", () -> segue(2).drainState().phase() != Phase.RUNNING);

        instances.get(gone).close(DEADLINE);
        endSession("pod-" + (gone + 1));

        await("pod-3 closed", () -> instances.get(2).state() == State.NOT_RUNNING);
        await("all on " + heir, () -> shares().equals(Map.of(heir, PARTITIONS)) && busy());
        good();
    }

    /**
     * Of an instance that has gone without leaving. A session so short that the test could wait for its end would end where
     * the machine has too much to do as well.
     */
    private void endSession(String instance) throws Exception {
        Set<MemberToRemove> members = admin.describeConsumerGroups(List.of(application)).all().get().get(application)
                .members().stream()
                .filter(member -> member.clientId().startsWith(instance + "-"))
                .map(member -> new MemberToRemove(member.groupInstanceId().orElseThrow()))
                .collect(Collectors.toSet());
        assertThat(members).hasSize(1);
        admin.removeMembersFromConsumerGroup(application, new RemoveMembersFromConsumerGroupOptions(members)).all().get();
    }

    private SegueInstance segue(int index) {
        return Segue.of(instances.get(index));
    }

    private void scaleTo(int count, Map<String, Object> more) {
        scaleTo(count, index -> more);
    }

    private void scaleTo(int count, IntFunction<Map<String, Object>> more) {
        start("pod-1", more.apply(0));
        await("the fill", () -> ledger.processed() >= PARTITIONS * KEYS);
        input.start();
        while (instances.size() < count) {
            start("pod-" + (instances.size() + 1), more.apply(instances.size()));
        }
        await("even shares", () -> shares().size() == count
                && shares().values().stream().allMatch(share -> share == PARTITIONS / count)
                && ledger.unchangedForMs() > 2_000 && busy()
                && instances.stream().allMatch(streams -> streams.state() == State.RUNNING));
    }

    private void start(String name, Map<String, Object> more) {
        Properties config = new Properties();
        config.putAll(Map.of(
                "application.id", application,
                "bootstrap.servers", broker.address(),
                "client.id", name,
                "state.dir", directory.resolve(name).toString(),
                "segue.assignor", "scale-down",
                "acceptable.recovery.lag", 500,
                "commit.interval.ms", 500,
                "heartbeat.interval.ms", 1_000,
                "session.timeout.ms", 600_000,
                "consumer.auto.offset.reset", "earliest"));
        config.putAll(more);
        config.computeIfPresent("group.instance.id", (key, base) -> base + "-" + name);
        KafkaStreams streams = Segue.streams(CountingTopology.build(topics, name, ledger), config);
        streams.start();
        instances.add(streams);
    }

    private Map<String, Integer> shares() {
        return ledger.owners();
    }

    private boolean busy() {
        return ledger.allBusy(1_000);
    }

    private List<String> members() throws Exception {
        return admin.describeConsumerGroups(List.of(application)).all().get().get(application).members().stream()
                .map(member -> member.clientId())
                .toList();
    }

    private List<String> sideGroups(String kind) throws Exception {
        return admin.listGroups().all().get().stream()
                .map(group -> group.groupId())
                .filter(id -> id.startsWith(application + ".segue." + kind + "."))
                .toList();
    }

    /** As a tool finds an instance: by its client id, among those that are present. */
    private Known known(String clientId) {
        List<Known> found = new ArrayList<>();
        await("the presence of " + clientId, () -> {
            for (String group : sideGroups("presence")) {
                entries(group).forEach((place, entry) -> {
                    if (entry.metadata().contains("\"client_id\":\"" + clientId + "\"")) {
                        found.add(new Known(group.substring(group.lastIndexOf('.') + 1), place));
                    }
                });
            }
            return !found.isEmpty();
        });
        return found.get(0);
    }

    private record Known(String instance, TopicPartition place) {
    }

    private void leave(int index) {
        instances.get(index).close(CloseOptions.timeout(DEADLINE)
                .withGroupMembershipOperation(GroupMembershipOperation.LEAVE_GROUP));
    }

    private static HttpResponse<String> http(int port, String method, String path) throws Exception {
        return http(port, method, path, "");
    }

    private static HttpResponse<String> http(int port, String method, String path, String body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .header("Authorization", "Bearer secret")
                .build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }

    private static boolean refused(int port) throws Exception {
        try {
            http(port, "GET", "/drain");
            return false;
        } catch (IOException gone) {
            return true;
        }
    }

    private Map<TopicPartition, OffsetAndMetadata> entries(String group) throws Exception {
        return admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get();
    }

    private void mark(Known instance, long since, Duration timeout) throws Exception {
        String text = "{\"v\":1,\"kind\":\"leaving\",\"instance\":\"" + instance.instance() + "\",\"since_ms\":" + since
                + ",\"deadline_ms\":" + (since + timeout.toMillis()) + ",\"by\":\"test\"}";
        admin.alterConsumerGroupOffsets(
                        application + ".segue.mark." + instance.instance(),
                        Map.of(instance.place(), new OffsetAndMetadata((1L << 53) - 1, text)))
                .all()
                .get();
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
