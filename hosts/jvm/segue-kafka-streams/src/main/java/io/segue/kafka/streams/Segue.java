// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;

import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.streams.KafkaClientSupplier;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.Topology;

/**
 * Makes Kafka Streams instances that take over work only when its state is there, and then at once.
 *
 * <p>In an application, {@code new KafkaStreams(topology, config)} becomes {@code Segue.streams(topology, config)};
 * nothing else changes:
 *
 * <pre>{@code
 * KafkaStreams streams = Segue.streams(topology, config);
 * streams.start();
 * }</pre>
 *
 * <p>The instance is an ordinary {@link KafkaStreams}. Its tasks are assigned by segue unless
 * {@code task.assignor.class} names another assignor, and a copy of state that has caught up asks for its hand-over
 * by itself instead of waiting for a probing rebalance. Listeners and a client supplier of the application's own
 * go on working. Configuration beside Kafka's: {@code segue.ready.batch.ms} (500),
 * {@code learner.partial.rebalance} (true). With {@code segue.assignor=scale-down} an instance can be drained,
 * and any application can be told to use another assignor: {@link #of}; {@code segue.http.port} offers the same over HTTP, at {@code segue.http.host} (127.0.0.1), to whoever
 * knows {@code segue.http.token} (not set: to anybody there). {@code segue.marks.poll.ms} (1000) is how often an
 * instance looks for a mark on itself, {@code segue.marks.timeout.ms} (300) how long a rebalance waits for marks.
 *
 * <p>All methods may be called from any thread.
 *
 * @since 1.0
 */
public final class Segue {
    private static final String ASSIGNOR_KEY = "task.assignor.class";
    private static final String ASSIGNOR = "io.segue.kafka.streams.SegueTaskAssignor";

    private Segue() {
    }

    /**
     * An instance with Kafka's usual clients.
     *
     * @param config the application's configuration; it is not modified
     * @return an instance that is not started, owned by the caller
     * @throws org.apache.kafka.common.config.ConfigException naming the key, if a value is wrong
     */
    public static KafkaStreams streams(Topology topology, Properties config) {
        return streams(topology, config, new PlainClients());
    }

    /**
     * An instance with the application's own clients.
     *
     * @param config the application's configuration; it is not modified
     * @param clients makes the real clients
     * @return an instance that is not started, owned by the caller
     * @throws org.apache.kafka.common.config.ConfigException naming the key, if a value is wrong
     */
    public static KafkaStreams streams(Topology topology, Properties config, KafkaClientSupplier clients) {
        refuseTheBrokersProtocol(config);
        Properties complete = withAssignor(config);
        Optional<AssignorSettings> ours = refuseWhatTheLeaderWould(complete);
        refuseWhatTheMemberWould(complete);
        return new SegueStreams(topology, complete, clients(clients), ours);
    }

    /**
     * The handle of an instance that was made here: drains, swaps, their progress, where HTTP is served.
     *
     * @param streams from {@link #streams}
     * @throws IllegalArgumentException if it was made in another way: {@link #attach} gives such a one its handle
     * @since 2.0
     */
    public static SegueInstance of(KafkaStreams streams) {
        if (streams instanceof SegueStreams ours) {
            return ours.instance();
        }
        throw new IllegalArgumentException("this instance was not made by Segue.streams: Segue.attach gives it a handle");
    }

    /**
     * The handle of an instance that somebody else made, with segue's clients. To be called once, before or after its
     * start, and with {@code task.assignor.class} set to {@link SegueTaskAssignor} for drains and swaps to work. It ends
     * by itself when the instance is closed. An instance that was drained to stay does not leave the group at its close:
     * close it with leaving, or let the drain close it.
     *
     * @param streams was given {@code clients} as its supplier
     * @param clients from {@link #clients()}
     * @param config what the instance was made with; it is not modified
     * @throws IllegalArgumentException if it was made by {@link #streams}, or without these clients
     * @throws org.apache.kafka.common.config.ConfigException naming the key, if a value is wrong
     * @since 2.0
     */
    public static SegueInstance attach(KafkaStreams streams, SegueClients clients, Properties config) {
        if (streams instanceof SegueStreams) {
            throw new IllegalArgumentException("this instance was made by Segue.streams: Segue.of has its handle");
        }
        if (clients.member().isEmpty()) {
            throw new IllegalArgumentException("this instance was not made with these clients");
        }
        refuseTheBrokersProtocol(config);
        Optional<AssignorSettings> ours = refuseWhatTheLeaderWould(config);
        Attachment attachment = new Attachment(streams, clients, keys(config), clients.clientId(), ours);
        attachment.start();
        return attachment.instance();
    }

    /**
     * Supplier and listener for a framework that makes the {@code KafkaStreams} object itself; {@link #attach} then gives
     * the handle of that object.
     *
     * @param clients makes the real clients
     */
    public static SegueClients clients(KafkaClientSupplier clients) {
        Warmup.start();
        return new SegueClients(clients);
    }

    /** The same around Kafka's usual clients. */
    public static SegueClients clients() {
        return clients(new PlainClients());
    }

    /** There the broker assigns, and no assignor of the application's is ever asked. */
    private static void refuseTheBrokersProtocol(Properties config) {
        Object protocol = config.get("group.protocol");
        if (protocol != null && !"classic".equalsIgnoreCase(protocol.toString().trim())) {
            throw new ConfigException("group.protocol", protocol,
                    "with it the broker assigns the tasks and segue is never asked: use classic, or new KafkaStreams");
        }
    }

    /** Here an error is the application's at its start; in the assignor it would end a stream thread, later. */
    private static Optional<AssignorSettings> refuseWhatTheLeaderWould(Properties config) {
        Object assignor = config.get(ASSIGNOR_KEY);
        if (!ASSIGNOR.equals(assignor instanceof Class<?> type ? type.getName() : String.valueOf(assignor))) {
            return Optional.empty();
        }
        return Optional.of(AssignorSettings.of(keys(config)));
    }

    /** Here, because a constructor that throws after Kafka Streams has made its threads leaves them behind. */
    private static void refuseWhatTheMemberWould(Properties config) {
        HandOverConfig.of(keys(config));
        Settings.of(keys(config));
    }

    private static Map<String, Object> keys(Properties config) {
        Map<String, Object> keys = new HashMap<>();
        config.forEach((key, value) -> keys.put(String.valueOf(key), value));
        return keys;
    }

    private static Properties withAssignor(Properties config) {
        Properties copy = new Properties();
        config.stringPropertyNames().forEach(name -> copy.put(name, config.getProperty(name)));
        copy.putAll(config);
        copy.putIfAbsent(ASSIGNOR_KEY, ASSIGNOR);
        return copy;
    }
}
