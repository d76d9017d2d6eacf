// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;

import org.apache.kafka.common.config.ConfigException;
import org.junit.jupiter.api.Test;

class HandOverConfigTest {
    @Test
    void shouldTakeKafkasDefaultsWhereNothingIsSaid() {
        assertThat(HandOverConfig.of(Map.of())).isEqualTo(new HandOverConfig(true, 10_000, 500, 3_000, false));
    }

    @Test
    void shouldReadNumbersGivenAsTextOrAsNumbers() {
        assertThat(HandOverConfig.of(Map.of(
                        "acceptable.recovery.lag", 7L,
                        "segue.ready.batch.ms", " 250 ",
                        "learner.partial.rebalance", "false",
                        "num.standby.replicas", 1)))
                .isEqualTo(new HandOverConfig(false, 7, 250, 3_000, true));
    }

    @Test
    void shouldNameTheKeyOfAValueThatIsNoNumber() {
        assertThatThrownBy(() -> HandOverConfig.of(Map.of("segue.ready.batch.ms", "soon")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("soon")
                .hasMessageContaining("segue.ready.batch.ms");
    }

    @Test
    void shouldRefuseANegativeTime() {
        assertThatThrownBy(() -> HandOverConfig.of(Map.of("segue.ready.batch.ms", -1)))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("0 or more");
    }

    @Test
    void shouldRefuseAFlagThatIsNeitherTrueNorFalse() {
        assertThatThrownBy(() -> HandOverConfig.of(Map.of("learner.partial.rebalance", "maybe")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("learner.partial.rebalance");
    }
}
