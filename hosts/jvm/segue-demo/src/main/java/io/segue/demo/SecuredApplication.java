// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.segue.kafka.streams.Segue;
import org.apache.kafka.streams.KafkaStreams;

/**
 * A real application behind SASL, TLS and ACLs, for the tests of other programs:
 * {@code java -cp segue-demo.jar io.segue.demo.SecuredApplication DIRECTORY [INSTANCES]}.
 *
 * <p>When all instances are at work, one line of JSON on standard output says where they are, and {@code DIRECTORY} has
 * {@code operator.properties}, by which a tool may come in as MARKS.md allows it. Ends with its standard input.
 */
public final class SecuredApplication implements AutoCloseable {
    static final String ID = "secured";

    private static final int PARTITIONS = 4;
    private static final int KEYS = 500;
    static final Duration DEADLINE = Duration.ofSeconds(300);

    private final Path directory;
    private final SecuredBroker broker;
    private final Topics topics = Topics.of(ID);
    private final Faults faults = new Faults();
    private final Await await = new Await(faults);
    private final Ledger ledger = new Ledger(PARTITIONS, handOver -> { });
    private static final String HTTP_TOKEN = "sesame";

    private final List<KafkaStreams> instances = new ArrayList<>();
    private final Input input;

    SecuredApplication(Path directory) {
        this.directory = directory;
        broker = SecuredBroker.start(directory);
        topics.create(broker.admin(), PARTITIONS, await);
        broker.allowApplication(ID, topics);
        input = new Input(broker.plain(), topics.input(), new Workload(PARTITIONS, KEYS, 64, 1), 50, faults);
        input.preload(done -> { });
    }

    /** See the class. */
    public static void main(String[] arguments) throws IOException {
        // What libraries print is not the answer.
        PrintStream answer = System.out;
        System.setOut(System.err);
        Path directory = Files.createDirectories(Path.of(arguments[0])).toAbsolutePath();
        try (SecuredApplication application = new SecuredApplication(directory)) {
            application.broker.allowMarks(SecuredBroker.APPLICATION, ID);
            application.broker.allowTool(ID, application.topics);
            application.scaleTo(arguments.length > 1 ? Integer.parseInt(arguments[1]) : 2);
            answer.println(new ObjectMapper().writeValueAsString(application.describe()));
            answer.flush();
            while (System.in.read() >= 0) {
                application.faults.check();
            }
        }
        System.exit(0);
    }

    private Map<String, Object> describe() throws IOException {
        Path operator = directory.resolve("operator.properties");
        Files.write(operator, broker.login(SecuredBroker.OPERATOR).entrySet().stream()
                .map(entry -> entry.getKey() + "=" + entry.getValue())
                .toList());
        return Map.of(
                "application_id", ID, "secured", broker.secured(), "plain", broker.plain(),
                "command_config", operator.toString(), "http_token", HTTP_TOKEN,
                "instances", IntStream.rangeClosed(1, instances.size()).mapToObj(SecuredApplication::name).toList());
    }

    private static String name(int number) {
        return "pod-" + number;
    }

    SecuredBroker broker() {
        return broker;
    }

    Ledger ledger() {
        return ledger;
    }

    List<KafkaStreams> instances() {
        return instances;
    }

    Faults faults() {
        return faults;
    }

    /** Returns when all instances have even shares and are at work. */
    void scaleTo(int count) {
        while (instances.size() < count) {
            start(name(instances.size() + 1));
            await.until("even shares", DEADLINE, () -> "owners are " + ledger.owners(), () -> settled(instances.size()));
            if (instances.size() == 1) {
                input.start();
            }
        }
    }

    private boolean settled(int count) {
        Map<String, Integer> owners = ledger.owners();
        return ledger.processed() >= PARTITIONS * KEYS && owners.size() == count && Balance.even(owners.values(), count)
                && (count == 1 || ledger.unchangedForMs() > 2_000 && ledger.allBusy(1_000))
                && instances.stream().allMatch(streams -> streams.state() == KafkaStreams.State.RUNNING);
    }

    private void start(String name) {
        Properties config = new Properties();
        config.putAll(broker.login(SecuredBroker.APPLICATION));
        config.putAll(Map.of(
                "application.id", ID,
                "client.id", name,
                "state.dir", directory.resolve(name).toString(),
                "segue.assignor", "scale-down",
                "segue.http.port", 0,
                "segue.http.token", HTTP_TOKEN,
                "acceptable.recovery.lag", 500,
                "commit.interval.ms", 500,
                "heartbeat.interval.ms", 1_000,
                "consumer.auto.offset.reset", "earliest"));
        // Nobody here is to be taken for dead, whatever the machine has to do.
        config.put("session.timeout.ms", 600_000);
        KafkaStreams streams = Segue.streams(CountingTopology.build(topics, name, ledger), config);
        streams.start();
        instances.add(streams);
    }

    /** Side groups of this application, by kind. */
    List<String> sideGroups(String kind) throws Exception {
        return broker.admin().listGroups().all().get().stream()
                .map(group -> group.groupId())
                .filter(id -> id.startsWith(ID + ".segue." + kind + "."))
                .collect(Collectors.toList());
    }

    @Override
    public void close() {
        input.close();
        instances.parallelStream().forEach(streams -> streams.close(Duration.ofSeconds(120)));
        broker.close();
    }
}
