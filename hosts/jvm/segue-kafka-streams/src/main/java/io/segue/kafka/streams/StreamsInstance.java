// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

import com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KafkaStreams.State;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TaskMetadata;

/** The real one. */
record StreamsInstance(KafkaStreams streams, Owned owned) implements LocalInstance {
    private static final String PROCESS_FILE = "kafka-streams-process-metadata";

    @Override
    public int active() {
        try {
            return owned.tasks(streams.metadataForLocalThreads().stream()
                    .flatMap(thread -> thread.activeTasks().stream())
                    .map(TaskMetadata::topicPartitions)
                    .toList());
        } catch (IllegalStateException ended) {
            return 0;
        }
    }

    @Override
    public boolean running() {
        return streams.state() == State.RUNNING;
    }

    @Override
    public boolean ended() {
        return !streams.state().isRunningOrRebalancing() && streams.state() != State.CREATED;
    }

    @Override
    public boolean closed() {
        return streams.state().hasCompletedShutdown();
    }

    /** By the older of Kafka's two classes for options: the newer one is not in every release that is supported. */
    @Override
    @SuppressWarnings("deprecation")
    public boolean leave(Duration timeout) {
        return streams.close(new KafkaStreams.CloseOptions().leaveGroup(true).timeout(timeout));
    }

    /**
     * The name by which the leader knows this process. Since 4.0 a metric carries it; before, the state directory's
     * file does, and an instance without persistent stores has none that anybody could know.
     */
    static Optional<String> processId(KafkaStreams streams, Map<?, ?> config) {
        return streams.metrics().keySet().stream()
                .map(name -> name.tags().get("process-id"))
                .filter(id -> id != null && isUuid(id))
                .findFirst()
                .or(() -> fromStateDirectory(config));
    }

    private static Optional<String> fromStateDirectory(Map<?, ?> config) {
        Object folder = config.get(StreamsConfig.STATE_DIR_CONFIG);
        Path root = folder == null
                ? Path.of(System.getProperty("java.io.tmpdir"), "kafka-streams")
                : Path.of(folder.toString());
        Path file = root.resolve(String.valueOf(config.get(StreamsConfig.APPLICATION_ID_CONFIG))).resolve(PROCESS_FILE);
        try {
            String id = new ObjectMapper().readTree(file.toFile()).path("processId").asText();
            return Optional.of(id).filter(StreamsInstance::isUuid);
        } catch (IOException fault) {
            return Optional.empty();
        }
    }

    private static boolean isUuid(String text) {
        try {
            return UUID.fromString(text).toString().equals(text);
        } catch (IllegalArgumentException fault) {
            return false;
        }
    }
}
