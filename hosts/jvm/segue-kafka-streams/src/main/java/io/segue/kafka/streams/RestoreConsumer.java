// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * Stands before a restore consumer, for two things that Kafka Streams leaves open.
 *
 * <p>It tells of batches only, and an idle changelog has none: after a poll the lag of changelogs that have loaded
 * nothing yet is looked up. And it notices only after a poll that a promoted copy has nothing left to restore: such
 * a poll does not wait for records that will not come, because nobody owns the task meanwhile.
 */
final class RestoreConsumer implements InvocationHandler {
    private final Consumer<byte[], byte[]> consumer;
    private final CopyBook book;
    private final LongSupplier clock;
    private final Map<TopicPartition, Long> ends = new HashMap<>();

    RestoreConsumer(Consumer<byte[], byte[]> consumer, CopyBook book, LongSupplier clock) {
        this.consumer = consumer;
        this.book = book;
        this.clock = clock;
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        boolean poll = method.getName().equals("poll");
        if (poll && anyRestored()) {
            arguments[0] = Duration.ZERO;
        }
        Object result = Proxies.pass(consumer, method, arguments);
        if (poll) {
            lookAtSilent();
        } else if (method.getName().equals("endOffsets")) {
            remember((Map<?, ?>) result);
        }
        return result;
    }

    /** Kafka Streams asks for the ends of those changelogs that an owner has to restore. */
    private void remember(Map<?, ?> found) {
        found.forEach((changelog, end) -> ends.put((TopicPartition) changelog, (Long) end));
    }

    private boolean anyRestored() {
        if (ends.isEmpty()) {
            return false;
        }
        ends.keySet().retainAll(consumer.assignment());
        Set<TopicPartition> paused = consumer.paused();
        return ends.keySet().stream().anyMatch(changelog -> !paused.contains(changelog) && atEnd(changelog));
    }

    private boolean atEnd(TopicPartition changelog) {
        try {
            return consumer.position(changelog, Duration.ZERO) >= ends.get(changelog);
        } catch (TimeoutException e) {
            return false;
        }
    }

    private void lookAtSilent() {
        Set<TopicPartition> silent = book.silent();
        if (silent.isEmpty()) {
            return;
        }
        silent.retainAll(consumer.assignment());
        silent.forEach(changelog -> consumer.currentLag(changelog)
                .ifPresent(lag -> book.idle(changelog, lag, clock.getAsLong())));
    }
}
