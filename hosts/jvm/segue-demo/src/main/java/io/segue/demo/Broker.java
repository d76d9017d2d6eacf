// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.io.OutputStream;
import java.io.PrintStream;
import java.net.BindException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.function.Supplier;

import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.MetadataVersion;

/** One Kafka broker and its controller inside this JVM, on loopback and on free ports. */
final class Broker implements AutoCloseable {
    private static final String NODE = "1";
    private static final int ATTEMPTS = 5;

    private final Properties config;
    private final String address;
    private final String further;
    private KafkaRaftServer server;

    /** Changes the usual configuration. */
    interface Adjustment {
        /** @param further a free address, for a listener beside the usual one */
        void adjust(Properties config, String further);
    }

    private Broker(Path directory, List<Integer> ports, Adjustment adjustment) {
        address = Ports.HOST + ":" + ports.get(0);
        further = Ports.HOST + ":" + ports.get(2);
        config = config(directory, address, Ports.HOST + ":" + ports.get(1));
        adjustment.adjust(config, further);
    }

    /** Formats a folder below {@code directory} and starts; blocks until the broker listens. */
    static Broker start(Path directory) {
        return start(directory, (usual, further) -> { });
    }

    static Broker start(Path directory, Adjustment adjustment) {
        return start(directory, adjustment, () -> Ports.choose(3));
    }

    /** @param ports three; asked again when one of them was taken before the broker had it */
    static Broker start(Path directory, Adjustment adjustment, Supplier<List<Integer>> ports) {
        for (int attempt = 1; ; attempt++) {
            Path folder = directory.resolve("attempt-" + attempt);
            try {
                format(folder);
                Broker broker = new Broker(folder, ports.get(), adjustment);
                broker.start();
                return broker;
            } catch (Exception e) {
                if (attempt == ATTEMPTS || !portTaken(e)) {
                    throw new DemoException("the in-process broker did not start: " + e.getMessage(), e);
                }
            }
        }
    }

    /** After {@link #close}: at the same address, with all that it had. */
    void start() {
        server = new KafkaRaftServer(new KafkaConfig(config), Time.SYSTEM);
        try {
            withoutHalting(server::startup);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** A controller that cannot start, because its port is taken for one, would end the whole JVM without a word. */
    private static synchronized void withoutHalting(Runnable startup) {
        Thread starting = Thread.currentThread();
        org.apache.kafka.common.utils.internals.Exit.setHaltProcedure((status, message) -> {
            if (Thread.currentThread() == starting) {
                throw new HaltException();
            }
            Runtime.getRuntime().halt(status);
        });
        try {
            startup.run();
        } finally {
            org.apache.kafka.common.utils.internals.Exit.resetHaltProcedure();
        }
    }

    /** Kafka tells only its log why its controller cannot start. */
    private static final class HaltException extends RuntimeException {
        private static final long serialVersionUID = 1;

        HaltException() {
            super("its controller cannot start; Kafka's log says why");
        }
    }

    private static boolean portTaken(Throwable fault) {
        return fault != null
                && (fault instanceof BindException || fault instanceof HaltException || portTaken(fault.getCause()));
    }

    String address() {
        return address;
    }

    /** What the adjustment was given for a further listener. */
    String further() {
        return further;
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
        // There is no other broker: where this one's heartbeats come late for longer than that, each of its partitions is
        // without a leader for a while, and whoever joins a group meanwhile may hear what kills a stream thread.
        config.put("broker.session.timeout.ms", "600000");
        // A busy machine takes its time before it has registered: after a minute Kafka would give up its start.
        config.put("initial.broker.registration.timeout.ms", "600000");
        config.put("offsets.topic.num.partitions", "1");
        config.put("offsets.topic.replication.factor", "1");
        config.put("transaction.state.log.num.partitions", "3");
        config.put("transaction.state.log.replication.factor", "1");
        config.put("transaction.state.log.min.isr", "1");
        config.put("share.coordinator.state.topic.replication.factor", "1");
        return config;
    }

    @Override
    public void close() {
        server.shutdown();
        server.awaitShutdown();
    }
}
