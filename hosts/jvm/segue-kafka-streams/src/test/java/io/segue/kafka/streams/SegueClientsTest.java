// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.streams.KafkaClientSupplier;
import org.junit.jupiter.api.Test;

class SegueClientsTest {
    private final Map<String, Object> seen = new HashMap<>();
    private final SegueClients clients = new SegueClients(new NotingClients());

    @Test
    void shouldAskTheApplicationsSupplierForTheRealConsumer() {
        clients.getConsumer(Map.of("client.id", "pod-1"));

        assertThat(seen).containsEntry("client.id", "pod-1");
    }

    @Test
    void shouldNotLetARestoreConsumerWaitLongForNothing() {
        clients.getRestoreConsumer(Map.of("client.id", "pod-1"));

        assertThat(seen).containsEntry("fetch.max.wait.ms", 50).containsEntry("client.id", "pod-1");
    }

    @Test
    void shouldLeaveTheApplicationsOwnWaitingTimeAlone() {
        clients.getRestoreConsumer(Map.of("fetch.max.wait.ms", 400));

        assertThat(seen).containsEntry("fetch.max.wait.ms", 400);
    }

    @Test
    void shouldKnowTheInstanceByItsConsumers() {
        clients.getConsumer(Map.of("client.id", "pod-1-StreamThread-2-consumer"));

        assertThat(clients.clientId()).isEqualTo("pod-1");
    }

    @Test
    void shouldGiveEachConsumersAssignorAPlaceForItsReport() {
        clients.getConsumer(Map.of("client.id", "pod-1"));
        Object first = seen.get(Draft.KEY);
        clients.getConsumer(Map.of("client.id", "pod-1"));

        assertThat(first).isInstanceOf(Draft.class).isNotSameAs(seen.get(Draft.KEY));
    }

    @Test
    void shouldNotWriteIntoTheCallersConfiguration() {
        Map<String, Object> config = new HashMap<>();
        clients.getRestoreConsumer(config);

        assertThat(config).isEmpty();
    }

    @Test
    void shouldRefuseAWrongValueBeforeAnythingStarts() {
        assertThatThrownBy(() -> clients.getConsumer(Map.of("segue.ready.batch.ms", "soon")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("segue.ready.batch.ms");
    }

    private final class NotingClients implements KafkaClientSupplier {
        @Override
        public Admin getAdmin(Map<String, Object> config) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Producer<byte[], byte[]> getProducer(Map<String, Object> config) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Consumer<byte[], byte[]> getConsumer(Map<String, Object> config) {
            seen.putAll(config);
            return new MockConsumer<>("none");
        }

        @Override
        public Consumer<byte[], byte[]> getRestoreConsumer(Map<String, Object> config) {
            return getConsumer(config);
        }

        @Override
        public Consumer<byte[], byte[]> getGlobalConsumer(Map<String, Object> config) {
            return getConsumer(config);
        }
    }
}
