// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.segue.kafka.streams.Segue;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.streams.KafkaClientSupplier;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;

/** One instance of the application, as a pod would be: own client id, own state directory. */
final class Instance implements AutoCloseable {
    private final String name;
    private final Copies copies;
    private final KafkaStreams streams;
    private final Path state;

    private Instance(String name, Copies copies, KafkaStreams streams, Path state) {
        this.name = name;
        this.copies = copies;
        this.streams = streams;
        this.state = state;
    }

    static Instance start(String name, Assignor assignor, Settings settings, Site site) {
        Properties config = config(name, assignor, settings, site);
        Topology topology = CountingTopology.build(site.topics(), name, site.watch());
        KafkaClientSupplier clients = new RoundClients(
                new SlowClients(settings.restoreDelayUs()), round -> site.journal().inRound(name, round));
        KafkaStreams streams = assignor.segue()
                ? Segue.streams(topology, config, clients)
                : new KafkaStreams(topology, config, clients);
        Copies copies = new Copies(settings.recoveryLag());
        CopyEvents events = new CopyEvents(name, site.journal(), copies);
        streams.setStandbyUpdateListener(events);
        streams.setGlobalStateRestoreListener(events);
        streams.setUncaughtExceptionHandler(fault -> {
            site.faults().report(name + " failed", fault);
            return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
        });
        site.journal().up(name, site.state(name).resolve(application(assignor)));
        streams.start();
        return new Instance(name, copies, streams, site.state(name));
    }

    private static Properties config(String name, Assignor assignor, Settings settings, Site site) {
        Path state = site.state(name);
        Properties config = new Properties();
        config.put(StreamsConfig.APPLICATION_ID_CONFIG, application(assignor));
        config.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, site.brokers());
        config.put(StreamsConfig.STATE_DIR_CONFIG, state.toString());
        config.put(StreamsConfig.CLIENT_ID_CONFIG, name);
        config.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, settings.threads());
        config.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, settings.guarantee());
        if (!settings.exactlyOnce()) {
            config.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 1000);
        }
        config.put(StreamsConfig.ACCEPTABLE_RECOVERY_LAG_CONFIG, settings.recoveryLag());
        config.put(StreamsConfig.consumerPrefix(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG), "earliest");
        config.put(
                StreamsConfig.mainConsumerPrefix(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG),
                settings.heartbeatMs());
        config.putAll(assignor.config());
        return config;
    }

    private static String application(Assignor assignor) {
        return "segue-demo-" + assignor.label();
    }

    String name() {
        return name;
    }

    Copies copies() {
        return copies;
    }

    KafkaStreams streams() {
        return streams;
    }

    boolean stopped() {
        return streams.state() == KafkaStreams.State.NOT_RUNNING;
    }

    /** Tasks of which there is something in its state directory, whether anybody uses it or not. */
    long directories() {
        return directories(state);
    }

    static long directories(Path state) {
        try (Stream<Path> found = Files.find(state, 2, (path, attributes) -> attributes.isDirectory()
                && path.getFileName().toString().matches("\\d+_\\d+"))) {
            return found.count();
        } catch (IOException | UncheckedIOException vanished) {
            return Long.MAX_VALUE;
        }
    }

    boolean running() {
        return streams.state() == KafkaStreams.State.RUNNING;
    }

    /** Rebalances this instance has taken part in; threads that joined later have seen fewer. */
    long rebalances() {
        return metrics(Set.of("rebalance-total")).max().orElse(0);
    }

    /** Whether RocksDB still rewrites or flushes what was put into it lately. */
    boolean compacting() {
        return metrics(Set.of("num-running-compactions", "compaction-pending", "num-running-flushes")).sum() > 0;
    }

    private LongStream metrics(Set<String> names) {
        return streams.metrics().entrySet().stream()
                .filter(metric -> names.contains(metric.getKey().name()))
                .map(metric -> metric.getValue().metricValue())
                .filter(Number.class::isInstance)
                .mapToLong(value -> ((Number) value).longValue());
    }

    @Override
    public void close() {
        streams.close(Duration.ofSeconds(120));
    }
}
