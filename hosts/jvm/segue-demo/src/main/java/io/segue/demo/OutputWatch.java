// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/** Reads the output topic on its own thread, keeps every emission and the silences. Safe from any thread. */
final class OutputWatch implements AutoCloseable {
    private final KafkaConsumer<String, byte[]> consumer;
    private final List<Silence> silences;
    private final List<List<Emission>> emissions;
    private final Faults faults;
    private final Thread reader = new Thread(this::read, "segue-demo-output");
    private volatile boolean stopped;

    OutputWatch(String brokers, String topic, Settings settings, Faults faults) {
        this.consumer = new KafkaConsumer<>(
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, brokers,
                        ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest",
                        ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                                settings.exactlyOnce() ? "read_committed" : "read_uncommitted",
                        ConsumerConfig.CLIENT_ID_CONFIG, "segue-demo-output"),
                new StringDeserializer(),
                new ByteArrayDeserializer());
        this.faults = faults;
        List<TopicPartition> all = IntStream.range(0, settings.partitions())
                .mapToObj(partition -> new TopicPartition(topic, partition))
                .toList();
        silences = all.stream().map(partition -> new Silence()).toList();
        emissions = all.stream().map(partition -> (List<Emission>) new ArrayList<Emission>()).toList();
        consumer.assign(all);
        reader.setDaemon(true);
        reader.start();
    }

    private void read() {
        try {
            while (!stopped) {
                for (ConsumerRecord<String, byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                    keep(Emission.decode(record.value()));
                }
            }
        } catch (WakeupException e) {
            stopped = true;
        } catch (RuntimeException e) {
            faults.report("the output could not be read", e);
        } finally {
            consumer.close();
        }
    }

    private synchronized void keep(Emission emission) {
        silences.get(emission.partition()).heard(Millis.now());
        emissions.get(emission.partition()).add(emission);
    }

    synchronized void restart() {
        silences.forEach(Silence::restart);
    }

    synchronized List<Long> silences() {
        long now = Millis.now();
        return silences.stream().map(silence -> silence.longest(now)).toList();
    }

    synchronized boolean hasAll(long perPartition) {
        return emissions.stream().allMatch(list -> list.size() >= perPartition);
    }

    synchronized long least() {
        return emissions.stream().mapToLong(List::size).min().orElse(0);
    }

    synchronized List<Emission> emissions(int partition) {
        return List.copyOf(emissions.get(partition));
    }

    @Override
    public void close() {
        stopped = true;
        consumer.wakeup();
    }
}
