// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;

import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Writes the workload: first all keys once, then a constant number of records per second and partition. */
final class Input implements AutoCloseable {
    private static final long TICK_NANOS = 5_000_000;
    private static final int PATIENCE_MS = 600_000;

    private final KafkaProducer<String, byte[]> producer;
    private final String topic;
    private final Workload workload;
    private final Faults faults;
    private final Thread ticker = new Thread(this::tick, "segue-demo-input");
    private final int rate;
    private volatile boolean stopped;
    private volatile long sent;

    Input(String brokers, String topic, Workload workload, int rate, Faults faults) {
        this.producer = new KafkaProducer<>(
                Map.of(
                        ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, brokers,
                        ProducerConfig.BATCH_SIZE_CONFIG, 256 * 1024,
                        // A retry behind a newer batch never recovers on a topic that has only just been made.
                        ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1,
                        ProducerConfig.MAX_BLOCK_MS_CONFIG, PATIENCE_MS,
                        ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, PATIENCE_MS,
                        ProducerConfig.CLIENT_ID_CONFIG, "segue-demo-input"),
                new StringSerializer(),
                new ByteArraySerializer());
        this.topic = topic;
        this.workload = workload;
        this.rate = rate;
        this.faults = faults;
        ticker.setDaemon(true);
    }

    /** Blocks until all keys are written. */
    void preload(LongConsumer onEveryThousandth) {
        for (int index = 0; index < workload.keysPerPartition(); index++) {
            if (index % 1000 == 0) {
                onEveryThousandth.accept(index);
            }
            for (int partition = 0; partition < workload.partitions(); partition++) {
                send(partition, index, Workload.PRELOAD);
            }
        }
        producer.flush();
    }

    void start() {
        ticker.start();
    }

    /** Ends the input; blocks until the last record is written. */
    void stop() throws InterruptedException {
        stopped = true;
        ticker.join();
        producer.flush();
    }

    /** Records sent to each partition since {@link #start}. */
    long sent() {
        return sent;
    }

    private void tick() {
        long start = System.nanoTime();
        while (!stopped) {
            long due = (System.nanoTime() - start) * rate / 1_000_000_000L;
            LongStream.range(sent, due).forEach(this::sendToAll);
            sent = Math.max(sent, due);
            LockSupport.parkNanos(TICK_NANOS);
        }
    }

    private void sendToAll(long sequence) {
        for (int partition = 0; partition < workload.partitions(); partition++) {
            send(partition, workload.keyAt(partition, sequence), sequence);
        }
    }

    private void send(int partition, int index, long sequence) {
        byte[] payload = workload.payload(partition, index, sequence);
        producer.send(
                new ProducerRecord<>(topic, partition, workload.key(partition, index), payload),
                (metadata, fault) -> {
                    if (fault != null) {
                        faults.report("the input could not be written", fault);
                    }
                });
    }

    @Override
    public void close() {
        stopped = true;
        producer.close();
    }
}
