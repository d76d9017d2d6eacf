// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalLong;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;

class PresenceTest {
    private static final Mark MARK = new Mark("id", 1000, OptionalLong.of(2000), false, "me");

    @Test
    void shouldSayWhoItIsAndHowFarItsDrainIs() {
        JsonNode document = read(presence("orders-1").json(
                new Presence.Now(DrainState.Phase.DRAINING, 3, 2, 1, 40, Optional.of(MARK)), 5000));

        assertThat(document.path("client_id").asText()).isEqualTo("orders-1");
        assertThat(document.path("state").asText()).isEqualTo("draining");
        assertThat(document.path("at_ms").asLong()).isEqualTo(5000);
        assertThat(document.at("/drain/tasks_left").asInt()).isEqualTo(3);
        assertThat(document.at("/drain/deadline_ms").asLong()).isEqualTo(2000);
    }

    @Test
    void shouldSayNothingOfADrainWhenThereIsNone() {
        JsonNode document = read(presence("orders-1").json(
                new Presence.Now(DrainState.Phase.RUNNING, 3, 0, 0, 0, Optional.empty()), 5000));

        assertThat(document.has("drain")).isFalse();
    }

    @Test
    void shouldFitIntoAnOffsetsMetadataWhateverItIsCalled() {
        String text = presence("é".repeat(3000)).json(
                new Presence.Now(DrainState.Phase.RUNNING, 3, 0, 0, 0, Optional.empty()), 5000);

        assertThat(text.getBytes(StandardCharsets.UTF_8).length).isLessThan(Documents.MOST_BYTES);
        assertThat(read(text).path("instance").asText()).isEqualTo("id");
    }

    private static Presence presence(String clientId) {
        return new Presence("id", clientId, "host", 7, Optional.of("10.0.0.1:80"), "scale-down", true, 1);
    }

    private static JsonNode read(String text) {
        return Documents.parse(text, "presence").orElseThrow();
    }
}
