// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.Test;

class SourceTopicsTest {
    @Test
    void shouldPreferWhatTheApplicationDoesNotMakeItself() {
        SourceTopics topics = new SourceTopics();
        topics.note(List.of("app-by-user-repartition", "users", "orders"));

        assertThat(topics.candidates("app")).containsExactly("orders", "users", "app-by-user-repartition");
    }
}
