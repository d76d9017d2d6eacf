// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.streams.KafkaClientSupplier;

/** Ordinary clients, but each restored record takes a while longer, as if the state were larger. */
record SlowClients(int restoreDelayUs) implements KafkaClientSupplier {
    @Override
    public Admin getAdmin(Map<String, Object> config) {
        return Admin.create(config);
    }

    @Override
    public Producer<byte[], byte[]> getProducer(Map<String, Object> config) {
        return new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
    }

    @Override
    public Consumer<byte[], byte[]> getConsumer(Map<String, Object> config) {
        return new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    @Override
    public Consumer<byte[], byte[]> getGlobalConsumer(Map<String, Object> config) {
        return getConsumer(config);
    }

    @Override
    @SuppressWarnings("unchecked")
    public Consumer<byte[], byte[]> getRestoreConsumer(Map<String, Object> config) {
        Consumer<byte[], byte[]> consumer = getConsumer(config);
        if (restoreDelayUs == 0) {
            return consumer;
        }
        return (Consumer<byte[], byte[]>) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Consumer.class}, (proxy, method, arguments) -> {
                    try {
                        Object result = method.invoke(consumer, arguments);
                        if (result instanceof ConsumerRecords<?, ?> records) {
                            TimeUnit.MICROSECONDS.sleep((long) records.count() * restoreDelayUs);
                        }
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
