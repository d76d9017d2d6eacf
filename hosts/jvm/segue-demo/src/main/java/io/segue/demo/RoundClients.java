// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.Map;
import java.util.function.IntConsumer;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.KafkaClientSupplier;

/**
 * Clients as somebody else makes them, whose main consumers tell in which round of the group they are before anything
 * comes of it, whoever assigns.
 *
 * @param inRound hears the round's number, on stream threads
 */
record RoundClients(KafkaClientSupplier clients, IntConsumer inRound) implements KafkaClientSupplier {
    @Override
    @SuppressWarnings("unchecked")
    public Consumer<byte[], byte[]> getConsumer(Map<String, Object> config) {
        Consumer<byte[], byte[]> consumer = clients.getConsumer(config);
        return (Consumer<byte[], byte[]>) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Consumer.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("subscribe") && arguments.length == 2
                            && arguments[1] instanceof ConsumerRebalanceListener listener) {
                        arguments[1] = new Listener(consumer, listener);
                    }
                    try {
                        return method.invoke(consumer, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private final class Listener implements ConsumerRebalanceListener {
        private final Consumer<byte[], byte[]> consumer;
        private final ConsumerRebalanceListener next;

        Listener(Consumer<byte[], byte[]> consumer, ConsumerRebalanceListener next) {
            this.consumer = consumer;
            this.next = next;
        }

        private void look() {
            int generation = consumer.groupMetadata().generationId();
            if (generation >= 0) {
                inRound.accept(generation);
            }
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            look();
            next.onPartitionsRevoked(partitions);
        }

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            look();
            next.onPartitionsAssigned(partitions);
        }

        @Override
        public void onPartitionsLost(Collection<TopicPartition> partitions) {
            next.onPartitionsLost(partitions);
        }
    }

    @Override
    public Admin getAdmin(Map<String, Object> config) {
        return clients.getAdmin(config);
    }

    @Override
    public Producer<byte[], byte[]> getProducer(Map<String, Object> config) {
        return clients.getProducer(config);
    }

    @Override
    public Consumer<byte[], byte[]> getRestoreConsumer(Map<String, Object> config) {
        return clients.getRestoreConsumer(config);
    }

    @Override
    public Consumer<byte[], byte[]> getGlobalConsumer(Map<String, Object> config) {
        return clients.getGlobalConsumer(config);
    }
}
