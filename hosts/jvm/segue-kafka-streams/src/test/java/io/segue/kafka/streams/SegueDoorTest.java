// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Properties;

import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.junit.jupiter.api.Test;

class SegueDoorTest {
    @Test
    void shouldRefuseAMisspeltKeyBeforeAnythingStarts() {
        Properties config = new Properties();
        config.put(StreamsConfig.APPLICATION_ID_CONFIG, "app");
        config.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "localhost:1");
        config.put("segue.asignor", "learner");
        assertThatThrownBy(() -> Segue.streams(new Topology(), config))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("segue.asignor")
                .hasMessageContaining("segue.assignor");
    }
}
