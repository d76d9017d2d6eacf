// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;

class PresenceTest {
    static final String SWAPPED = """
            {"v":1,"kind":"presence","instance":"id","client_id":"orders-1","host":"host","pid":7,
             "application_server":"10.0.0.1:80","http":"http://10.0.0.1:8088","assignor":"balanced","leaving_known":true,"configured":"learner",
             "assignors":["balanced","learner"],"started_ms":1,"at_ms":5000,"state":"running","active":3,"copies":0,
             "copies_ready":0,"copies_lag":0,
             "led":{"at_ms":1000,"assignor":"balanced","plugin":"segue-assignors","plugin_version":"1.0.0","tasks":8,
             "members":3,"moves":2,"min_moves":4,"learners":1,"followup":"learners-restoring"}}
            """;

    private static final Choice HEEDING = new Choice("scale-down", "scale-down", Optional.empty());
    private static final Mark MARK = new Mark("id", 1000, OptionalLong.of(2000), false, "me");

    @Test
    void shouldSayWhoItIsAndHowFarItsDrainIs() {
        JsonNode document = read(presence("orders-1").json(
                new Presence.Now(DrainState.Phase.DRAINING, 3, 2, 1, 40, Optional.of(MARK), HEEDING, Optional.empty()), 5000));

        assertThat(document.path("client_id").asText()).isEqualTo("orders-1");
        assertThat(document.path("state").asText()).isEqualTo("draining");
        assertThat(document.path("at_ms").asLong()).isEqualTo(5000);
        assertThat(document.at("/drain/tasks_left").asInt()).isEqualTo(3);
        assertThat(document.at("/drain/deadline_ms").asLong()).isEqualTo(2000);
    }

    @Test
    void shouldSayNothingOfADrainWhenThereIsNone() {
        JsonNode document = read(presence("orders-1").json(
                new Presence.Now(DrainState.Phase.RUNNING, 3, 0, 0, 0, Optional.empty(), HEEDING, Optional.empty()), 5000));

        assertThat(document.has("drain")).isFalse();
    }

    @Test
    void shouldFitIntoAnOffsetsMetadataWhateverItIsCalled() {
        String text = presence("é".repeat(3000)).json(
                new Presence.Now(DrainState.Phase.RUNNING, 3, 0, 0, 0, Optional.empty(), HEEDING, Optional.empty()), 5000);

        assertThat(text.getBytes(StandardCharsets.UTF_8).length).isLessThan(Documents.MOST_BYTES);
        assertThat(read(text).path("instance").asText()).isEqualTo("id");
    }

    @Test
    void shouldSayWhatItWouldUseAndWhatItHasLed() {
        String text = presence("orders-1").json(new Presence.Now(
                DrainState.Phase.RUNNING, 3, 0, 0, 0, Optional.empty(),
                new Choice("balanced", "learner", Optional.empty()), Optional.of(Leds.by("balanced"))), 5000);

        assertThat(read(text)).isEqualTo(read(SWAPPED));
    }

    @Test
    void shouldSayWhatItDoesNotHave() {
        JsonNode document = read(presence("orders-1").json(new Presence.Now(
                DrainState.Phase.RUNNING, 3, 0, 0, 0, Optional.empty(),
                new Choice("learner", "learner", Optional.of("newest")), Optional.empty()), 5000));

        assertThat(document.path("swap_refused").asText()).isEqualTo("newest");
        assertThat(document.path("leaving_known").asBoolean()).isFalse();
        assertThat(document.has("configured")).isFalse();
        assertThat(document.has("led")).isFalse();
    }

    private static Presence presence(String clientId) {
        return new Presence(
                "id", clientId, "host", 7, Optional.of("10.0.0.1:80"), Optional.of("http://10.0.0.1:8088"),
                List.of("balanced", "learner"), 1);
    }

    private static JsonNode read(String text) {
        return Documents.parse(text, "presence").orElseThrow();
    }
}
