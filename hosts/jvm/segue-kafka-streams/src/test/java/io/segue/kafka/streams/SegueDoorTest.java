// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;

import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SegueDoorTest {
    @TempDir
    private Path directory;

    @Test
    void shouldRefuseAMisspeltKeyBeforeAnythingStarts() {
        Properties config = config();
        config.put("segue.asignor", "learner");
        assertThatThrownBy(() -> Segue.streams(new Topology(), config))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("segue.asignor")
                .hasMessageContaining("segue.assignor");
    }

    @Test
    void shouldNameTheAssignorThatWasProbablyMeant() {
        Properties config = config();
        config.put("segue.assignor", "lerner");
        assertThatThrownBy(() -> Segue.streams(topology(), config))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("segue.assignor")
                .hasMessageContaining("did you mean learner?")
                .hasMessageContaining("balanced");
    }

    @Test
    void shouldRefuseTheProtocolInWhichTheBrokerAssigns() {
        Properties config = config();
        config.put("group.protocol", "streams");
        assertThatThrownBy(() -> Segue.streams(topology(), config))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("group.protocol")
                .hasMessageContaining("classic");
        config.put("group.protocol", "classic");
        Segue.streams(topology(), config).close();
    }

    @Test
    void shouldGiveAnInstanceThatWasMadeElsewhereItsHandle() {
        SegueClients clients = Segue.clients();
        Properties config = config();
        config.put("task.assignor.class", SegueTaskAssignor.class.getName());
        config.put("segue.assignor", "balanced");
        try (KafkaStreams streams = new KafkaStreams(topology(), config, clients)) {
            SegueInstance instance = Segue.attach(streams, clients, config);

            assertThat(instance.assignor()).isEqualTo("balanced");
            assertThat(instance.swap("lerner")).failsWithin(Duration.ofSeconds(300)).withThrowableThat()
                    .withMessageContaining("did you mean learner?");
        }
    }

    @Test
    void shouldRefuseToAttachToWhatIsNotItsOwn() {
        assertThatThrownBy(() -> {
            try (KafkaStreams streams = new KafkaStreams(topology(), config())) {
                Segue.attach(streams, Segue.clients(), config());
            }
        }).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("not made with these clients");
        assertThatThrownBy(() -> {
            try (KafkaStreams streams = Segue.streams(topology(), config())) {
                Segue.attach(streams, Segue.clients(), config());
            }
        }).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("Segue.of");
    }

    @Test
    void shouldRefuseAPortThatIsNoneBeforeAnythingStarts() {
        Properties config = config();
        config.put("segue.http.port", "http");
        assertThatThrownBy(() -> Segue.streams(new Topology(), config))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("segue.http.port");
    }

    @Test
    void shouldLeaveNoThreadBehindWhenItRefusesAKeyOfItsOwn() {
        Properties config = config();
        config.put(StreamsConfig.APPLICATION_ID_CONFIG, "refused-at-the-door");
        config.put("segue.ready.batch.ms", "-3");
        assertThatThrownBy(() -> Segue.streams(topology(), config))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("segue.ready.batch.ms");
        Awaitility.await("no thread of it").atMost(Duration.ofSeconds(120)).untilAsserted(() ->
                assertThat(Thread.getAllStackTraces().keySet())
                        .noneMatch(thread -> thread.getName().contains("refused-at-the-door")));
    }

    @Test
    void shouldSayThatAnInstanceIsNotStartedYet() {
        try (KafkaStreams streams = Segue.streams(topology(), config())) {
            SegueInstance instance = Segue.of(streams);

            assertThat(instance.drainState().phase()).isEqualTo(DrainState.Phase.RUNNING);
            assertThat(instance.httpPort()).isEmpty();
            assertThatThrownBy(() -> instance.drain(Duration.ofMinutes(1)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("not started");
        }
    }

    @Test
    void shouldRefuseAnInstanceThatWasMadeElsewhere() {
        try (KafkaStreams streams = new KafkaStreams(topology(), config())) {
            assertThatThrownBy(() -> Segue.of(streams))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("Segue.streams");
        }
    }

    private static Topology topology() {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("orders").to("counts");
        return builder.build();
    }

    /** Nobody listens there, and nothing is started that would notice. */
    private Properties config() {
        Properties config = new Properties();
        config.put(StreamsConfig.APPLICATION_ID_CONFIG, "app");
        config.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "localhost:1");
        config.put(StreamsConfig.STATE_DIR_CONFIG, directory.toString());
        return config;
    }
}
