// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.util.Set;
import java.util.function.LongSupplier;

import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;

/**
 * Stands before a restore consumer. Kafka Streams tells of batches only, and an idle changelog has none: after a
 * poll the lag of changelogs that have loaded nothing yet is looked up.
 */
final class RestoreConsumer implements InvocationHandler {
    private final Consumer<byte[], byte[]> consumer;
    private final CopyBook book;
    private final Haste haste;
    private final LongSupplier clock;

    RestoreConsumer(Consumer<byte[], byte[]> consumer, CopyBook book, Haste haste, LongSupplier clock) {
        this.consumer = consumer;
        this.book = book;
        this.haste = haste;
        this.clock = clock;
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        if (!method.getName().equals("poll")) {
            return Proxies.pass(consumer, method, arguments);
        }
        haste.shorten(arguments, clock.getAsLong());
        Object result = Proxies.pass(consumer, method, arguments);
        lookAtSilent();
        return result;
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
