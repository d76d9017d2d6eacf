// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;

import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class OwnedTest {
    private static final TopicPartition ORDERS_0 = new TopicPartition("orders", 0);
    private static final TopicPartition ORDERS_1 = new TopicPartition("orders", 1);
    private static final TopicPartition USERS_0 = new TopicPartition("users", 0);

    private final Owned owned = new Owned();

    @Test
    void shouldCountTheInputsOfOneTaskOnce() {
        owned.add("first", List.of(ORDERS_0, USERS_0, ORDERS_1));

        assertThat(owned.tasks(List.of(Set.of(ORDERS_0, USERS_0), Set.of(ORDERS_1)))).isEqualTo(2);
    }

    @Test
    void shouldForgetATaskThatWasTakenAwayThoughStreamsStillNamesIt() {
        owned.add("first", List.of(ORDERS_0));
        owned.remove("first", List.of(ORDERS_0));

        assertThat(owned.tasks(List.of(Set.of(ORDERS_0)))).isZero();
    }

    @Test
    void shouldCountATaskThatStreamsDoesNotNameYet() {
        owned.add("first", List.of(ORDERS_0, ORDERS_1));

        assertThat(owned.tasks(List.of(Set.of(ORDERS_0)))).isEqualTo(2);
    }

    @Test
    void shouldKeepWhatASiblingHasTakenOver() {
        owned.add("first", List.of(ORDERS_0));
        owned.add("second", List.of(ORDERS_0));
        owned.remove("first", List.of(ORDERS_0));

        assertThat(owned.partitions()).containsExactly(ORDERS_0);
    }
}
