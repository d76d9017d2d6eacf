// SPDX-License-Identifier: Apache-2.0
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.MetadataVersion;

/**
 * A real broker, and the Java client that instances write their side groups with, for the tests of the program.
 *
 * <p>Run from its source with Kafka's jars: {@code java -cp 'lib/*' Cluster.java SERVER.PROPERTIES DIRECTORY}. Each
 * line on standard input is a command in JSON, each line on standard output its answer: {@code {"do": "start"}},
 * {@code stop}, {@code topic}, {@code put}, {@code get}, {@code groups}, {@code delete}, {@code join}, {@code leave},
 * {@code login}, {@code try}, {@code collect} (garbage). Ends with its input.
 */
public final class Cluster {
    private static final long PARKED = (1L << 53) - 1;
    private static final int PATIENCE_MS = 300_000;
    private static final int ATTEMPTS = 5;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Properties config = new Properties();
    private final Path directory;
    private final Map<String, Member> members = new HashMap<>();
    private KafkaRaftServer server;
    private Admin admin;

    private Cluster(Path properties, Path directory) throws Exception {
        this.directory = directory;
        try (var in = Files.newBufferedReader(properties)) {
            config.load(in);
        }
    }

    public static void main(String[] arguments) throws Exception {
        // What libraries print belongs to the log; answers have standard output for themselves.
        PrintStream answers = System.out;
        System.setOut(System.err);
        Cluster cluster = new Cluster(Path.of(arguments[0]), Path.of(arguments[1]));
        cluster.format();
        var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            answers.println(JSON.writeValueAsString(cluster.answer(line)));
            answers.flush();
        }
        // The broker's shutdown waits for what nobody needs any more.
        Runtime.getRuntime().halt(0);
    }

    private JsonNode answer(String line) {
        try {
            JsonNode command = JSON.readTree(line);
            return run(command.get("do").asText(), command);
        } catch (Exception | LinkageError e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            return JSON.createObjectNode().put("error", cause.toString());
        }
    }

    private ObjectNode run(String name, JsonNode command) throws Exception {
        ObjectNode answer = JSON.createObjectNode();
        switch (name) {
            case "start" -> start();
            case "stop" -> stop();
            case "topic" -> makeTopic(
                    new NewTopic(command.get("topic").asText(), command.path("partitions").asInt(2), (short) 1));
            case "put" -> put(command);
            case "get" -> get(command.get("group").asText(), answer);
            case "groups" -> groups(answer);
            case "delete" -> admin.deleteConsumerGroups(List.of(command.get("group").asText())).all().get();
            case "try" -> tryClient(command.get("config").asText(), command.get("address").asText());
            case "login" -> admin.alterUserScramCredentials(List.of(new UserScramCredentialUpsertion(
                    command.get("user").asText(), new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096),
                    command.get("password").asText()))).all().get();
            case "join" -> members.put(command.get("client").asText(),
                    new Member(address(), command.get("group").asText(), command.get("client").asText(),
                            command.get("topic").asText()));
            case "collect" -> System.gc();
            case "leave" -> members.remove(command.get("client").asText()).close();
            default -> throw new IllegalArgumentException(name);
        }
        return answer;
    }

    private void format() throws Exception {
        new Formatter()
                .setPrintStream(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8))
                .setNodeId(1)
                .setClusterId(Uuid.randomUuid().toString())
                .addDirectory(directory.toString())
                .setMetadataLogDirectory(directory.toString())
                .setControllerListenerName("CONTROLLER")
                .setReleaseVersion(MetadataVersion.latestProduction())
                .run();
    }

    private void start() {
        config.setProperty("log.dirs", directory.toString());
        server = new KafkaRaftServer(new KafkaConfig(config), Time.SYSTEM);
        server.startup();
        // What is asked again because an answer is late would be refused as done already.
        admin = Admin.create(Map.of("bootstrap.servers", address(), "request.timeout.ms", PATIENCE_MS,
                "default.api.timeout.ms", PATIENCE_MS));
    }

    private String address() {
        String listener = config.getProperty("advertised.listeners").split(",")[0];
        return listener.substring(listener.indexOf("//") + 2);
    }

    private void stop() {
        admin.close();
        server.shutdown();
        server.awaitShutdown();
    }

    /** A controller that answers too late for the broker may have made it all the same. */
    private void makeTopic(NewTopic topic) throws Exception {
        for (int attempt = 1; ; attempt++) {
            try {
                admin.createTopics(List.of(topic)).all().get();
                return;
            } catch (ExecutionException e) {
                if (attempt > 1 && e.getCause() instanceof TopicExistsException) {
                    return;
                }
                if (attempt == ATTEMPTS || !(e.getCause() instanceof TimeoutException)) {
                    throw e;
                }
            }
        }
    }

    private void put(JsonNode command) throws Exception {
        var place = new TopicPartition(command.get("topic").asText(), command.get("partition").asInt());
        var entry = new OffsetAndMetadata(PARKED, command.get("metadata").asText());
        admin.alterConsumerGroupOffsets(command.get("group").asText(), Map.of(place, entry)).all().get();
    }

    /** Fails unless Kafka's own client gets an answer with these properties. */
    private static void tryClient(String path, String address) throws Exception {
        Properties client = new Properties();
        try (var in = Files.newInputStream(Path.of(path))) {
            client.load(in);
        }
        client.setProperty("bootstrap.servers", address);
        client.setProperty("default.api.timeout.ms", "10000");
        client.setProperty("request.timeout.ms", "5000");
        try (Admin admin = Admin.create(client)) {
            admin.describeCluster().nodes().get();
        }
    }

    private void get(String group, ObjectNode answer) throws Exception {
        var entries = answer.putArray("entries");
        admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get().forEach((place, entry) ->
                entries.addObject().put("topic", place.topic()).put("partition", place.partition())
                        .put("offset", entry.offset()).put("metadata", entry.metadata())
                        .put("epoch", entry.leaderEpoch().orElse(-1)));
    }

    private void groups(ObjectNode answer) throws Exception {
        var names = answer.putArray("groups");
        admin.listGroups().all().get().forEach(group -> names.add(group.groupId()));
    }

    /** A consumer in a group, polled by a thread of its own. */
    private static final class Member {
        private final KafkaConsumer<byte[], byte[]> consumer;
        private final Thread thread = new Thread(this::poll);
        private volatile boolean leaving;

        Member(String address, String group, String client, String topic) {
            Map<String, Object> config = Map.of("bootstrap.servers", address, "group.id", group, "client.id", client,
                    "session.timeout.ms", PATIENCE_MS);
            consumer = new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
            consumer.subscribe(List.of(topic));
            thread.start();
        }

        private void poll() {
            while (!leaving) {
                consumer.poll(Duration.ofMillis(100));
            }
            consumer.close();
        }

        void close() throws InterruptedException {
            leaving = true;
            thread.join();
        }
    }
}
