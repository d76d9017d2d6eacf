// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.KafkaClientSupplier;
import org.apache.kafka.streams.processor.StandbyUpdateListener;
import org.apache.kafka.streams.processor.TaskId;

/**
 * The client supplier and the standby listener of one Kafka Streams instance, for frameworks that construct
 * {@code KafkaStreams} themselves: give this object to both {@code new KafkaStreams(topology, config, clients)} and
 * {@code setStandbyUpdateListener(clients)}. {@link Segue#attach} then gives the instance's handle, for drains and swaps.
 * Everything else should use {@link Segue#streams}.
 *
 * <p>One object serves one {@code KafkaStreams} object. Its methods are called by Kafka Streams; none of them
 * blocks longer than the wrapped supplier does.
 *
 * @since 1.0
 */
public final class SegueClients implements KafkaClientSupplier, StandbyUpdateListener {
    static final LongSupplier CLOCK = () -> System.nanoTime() / 1_000_000;

    private static final int RESTORE_FETCH_MS = 50;

    private final KafkaClientSupplier clients;
    private final CopyBook book = new CopyBook();
    private final Haste haste = new Haste();
    private Member member;
    private String clientId = "";

    SegueClients(KafkaClientSupplier clients) {
        this.clients = clients;
    }

    /** @throws org.apache.kafka.common.config.ConfigException naming the key, if one of segue's is wrong */
    @Override
    public Consumer<byte[], byte[]> getConsumer(Map<String, Object> config) {
        Draft draft = new Draft();
        Map<String, Object> copy = new HashMap<>(config);
        copy.put(Draft.KEY, draft);
        return Proxies.consumer(new MainConsumer(clients.getConsumer(copy), member(config), draft, CLOCK));
    }

    /** All stream threads of an instance have the same configuration but for their client id. */
    private synchronized Member member(Map<String, Object> config) {
        if (member == null) {
            member = Member.of(HandOverConfig.of(config), book, haste);
            clientId = String.valueOf(config.get(ConsumerConfig.CLIENT_ID_CONFIG)).replaceFirst("-StreamThread-.*$", "");
        }
        return member;
    }

    /** What Kafka Streams calls the instance; its consumers' names begin with that. */
    synchronized String clientId() {
        return clientId;
    }

    /** Empty until the first stream thread is made. */
    synchronized Optional<Member> member() {
        return Optional.ofNullable(member);
    }

    CopyBook book() {
        return book;
    }

    @Override
    public Consumer<byte[], byte[]> getRestoreConsumer(Map<String, Object> config) {
        Consumer<byte[], byte[]> consumer = clients.getRestoreConsumer(impatient(config));
        return Proxies.consumer(new RestoreConsumer(consumer, book, haste, CLOCK));
    }

    /**
     * A promoted copy reads its last records, and that fetch waits for the one before it, which waits for records of
     * a task that nobody owns.
     */
    private static Map<String, Object> impatient(Map<String, Object> config) {
        Map<String, Object> copy = new HashMap<>(config);
        copy.putIfAbsent(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, RESTORE_FETCH_MS);
        return copy;
    }

    @Override
    public Consumer<byte[], byte[]> getGlobalConsumer(Map<String, Object> config) {
        return clients.getGlobalConsumer(config);
    }

    @Override
    public Producer<byte[], byte[]> getProducer(Map<String, Object> config) {
        return clients.getProducer(config);
    }

    @Override
    public Admin getAdmin(Map<String, Object> config) {
        return clients.getAdmin(config);
    }

    @Override
    public void onUpdateStart(TopicPartition changelog, String store, long startingOffset) {
        book.started(changelog, CLOCK.getAsLong());
    }

    @Override
    public void onBatchLoaded(
            TopicPartition changelog, String store, TaskId task, long batchEnd, long records, long end) {
        book.loaded(changelog, task, Math.max(0, end - batchEnd - 1), CLOCK.getAsLong());
    }

    @Override
    public void onUpdateSuspended(
            TopicPartition changelog, String store, long offset, long end, SuspendReason reason) {
        book.ended(changelog);
    }
}
