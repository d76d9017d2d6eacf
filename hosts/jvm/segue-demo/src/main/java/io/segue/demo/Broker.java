// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Properties;
import java.util.function.Consumer;

import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.MetadataVersion;

/** One Kafka broker and its controller inside this JVM, on loopback and on free ports. */
final class Broker implements AutoCloseable {
    private static final String HOST = "127.0.0.1";
    private static final String NODE = "1";

    private final Properties config;
    private final String address;
    private KafkaRaftServer server;

    private Broker(Properties config, String address) {
        this.config = config;
        this.address = address;
    }

    /** Formats {@code directory} and starts; blocks until the broker listens. */
    static Broker start(Path directory) {
        return start(directory, usual -> { });
    }

    /** @param adjust changes the usual configuration */
    static Broker start(Path directory, Consumer<Properties> adjust) {
        try {
            String address = HOST + ":" + freePort();
            String controller = HOST + ":" + freePort();
            format(directory);
            Properties config = config(directory, address, controller);
            adjust.accept(config);
            Broker broker = new Broker(config, address);
            broker.start();
            return broker;
        } catch (Exception e) {
            throw new DemoException("the in-process broker did not start: " + e.getMessage(), e);
        }
    }

    /** After {@link #close}: at the same address, with all that it had. */
    void start() {
        server = new KafkaRaftServer(new KafkaConfig(config), Time.SYSTEM);
        server.startup();
    }

    String address() {
        return address;
    }

    private static void format(Path directory) throws Exception {
        new Formatter()
                .setPrintStream(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8))
                .setNodeId(Integer.parseInt(NODE))
                .setClusterId(Uuid.randomUuid().toString())
                .addDirectory(directory.toString())
                .setMetadataLogDirectory(directory.toString())
                .setControllerListenerName("CONTROLLER")
                .setReleaseVersion(MetadataVersion.latestProduction())
                .run();
    }

    private static Properties config(Path directory, String address, String controller) {
        Properties config = new Properties();
        config.put("process.roles", "broker,controller");
        config.put("node.id", NODE);
        config.put("controller.quorum.voters", NODE + "@" + controller);
        config.put("listeners", "PLAINTEXT://" + address + ",CONTROLLER://" + controller);
        config.put("advertised.listeners", "PLAINTEXT://" + address);
        config.put("controller.listener.names", "CONTROLLER");
        config.put("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
        config.put("log.dirs", directory.toString());
        config.put("auto.create.topics.enable", "false");
        config.put("group.initial.rebalance.delay.ms", "0");
        config.put("offsets.topic.num.partitions", "1");
        config.put("offsets.topic.replication.factor", "1");
        config.put("transaction.state.log.num.partitions", "3");
        config.put("transaction.state.log.replication.factor", "1");
        config.put("transaction.state.log.min.isr", "1");
        config.put("share.coordinator.state.topic.replication.factor", "1");
        return config;
    }

    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(HOST))) {
            return socket.getLocalPort();
        }
    }

    @Override
    public void close() {
        server.shutdown();
        server.awaitShutdown();
    }
}
