// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;

import io.segue.Proposal;
import org.apache.kafka.common.config.ConfigException;
import org.junit.jupiter.api.Test;

class SettingsTest {
    @Test
    void shouldServeNoHttpUnlessAsked() {
        Settings settings = Settings.of(Map.of());
        assertThat(settings.httpPort()).isEmpty();
        assertThat(settings.httpHost()).isEqualTo("127.0.0.1");
        assertThat(settings.marksTimeoutMs()).isEqualTo(300);
    }

    @Test
    void shouldTakeNumbersAsTextAndAsNumbers() {
        Settings settings = Settings.of(Map.of("segue.http.port", "0", "scale.down.timeout.ms", 60_000L));
        assertThat(settings.httpPort()).contains(0);
        assertThat(settings.scaleDownTimeoutMs()).hasValue(60_000);
    }

    @Test
    void shouldNameTheKeyThatIsWrong() {
        assertThatThrownBy(() -> Settings.of(Map.of("segue.http.port", "70000")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("segue.http.port")
                .hasMessageContaining("0 to 65535");
        assertThatThrownBy(() -> Settings.of(Map.of("segue.marks.timeout.ms", "soon")))
                .hasMessageContaining("must be a number");
    }

    @Test
    void shouldReadNoMarksForAssignorsThatHeedNone() {
        assertThat(Settings.heedsMarks("learner")).isFalse();
        assertThat(Settings.heedsMarks("scale-down")).isTrue();
        assertThat(Settings.heedsMarks("balanced")).isTrue();
    }

    @Test
    void shouldKeepItsKeysFromTheNativePartThatKnowsNoneOfThem() {
        AssignorSettings settings = AssignorSettings.of(Map.of(
                "segue.assignor", "scale-down", "segue.http.port", 0, "segue.http.token", "t",
                "segue.marks.poll.ms", 500));
        assertThat(settings.own().values()).containsOnlyKeys("segue.assignor");
    }

    @Test
    void shouldKnowAnAssignorWheneverItIsRegistered() {
        Map<String, String> config = Map.of("segue.assignor", "of-this-test");
        assertThatThrownBy(() -> AssignorSettings.of(config)).hasMessageContaining("no assignor of-this-test");
        io.segue.Segue.registerForAll("of-this-test", (group, configuration) -> Proposal.of(List.of()));
        try {
            assertThat(AssignorSettings.of(config).assignor()).isEqualTo("of-this-test");
        } finally {
            io.segue.Segue.unregisterForAll("of-this-test");
        }
        assertThatThrownBy(() -> AssignorSettings.of(config)).hasMessageContaining("no assignor of-this-test");
    }
}
