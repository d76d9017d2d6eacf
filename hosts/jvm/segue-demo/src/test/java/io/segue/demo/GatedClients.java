// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.streams.KafkaClientSupplier;

import io.segue.demo.Gates.Gate;

/** Ordinary clients that wait where a gate is closed. */
final class GatedClients implements KafkaClientSupplier {
    private static final int STANDING_MS = 20;
    private static final int NEVER = Integer.MIN_VALUE;

    private final KafkaClientSupplier clients = new SlowClients(0);
    private final Gates gates;
    private final Runnable onAsking;
    private final AtomicInteger markedIn = new AtomicInteger(NEVER);
    private volatile boolean gaveUp;

    /** @param onAsking called whenever the instance asks for the hand-over of what is caught up here */
    GatedClients(Gates gates, Runnable onAsking) {
        this.gates = gates;
        this.onAsking = onAsking;
    }

    /** The instance has closed a task. */
    void gaveUp() {
        gaveUp = gates.isClosed(Gate.REJOIN);
    }

    @Override
    public Consumer<byte[], byte[]> getConsumer(Map<String, Object> config) {
        Consumer<byte[], byte[]> real = clients.getConsumer(config);
        return consumer(real, (method, arguments) -> switch (method) {
            case "enforceRebalance" -> withholds(String.valueOf(arguments[0]), real.groupMetadata().generationId());
            case "poll" -> gaveUp && gates.isClosed(Gate.REJOIN);
            default -> false;
        });
    }

    /** What a mark brings first is said until a round has begun; only then is it a reminder. */
    private boolean withholds(String wish, int generation) {
        if (wish.contains("caught up")) {
            onAsking.run();
            return gates.isClosed(Gate.ASK);
        }
        if (wish.contains("segue: leaving")) {
            markedIn.compareAndSet(NEVER, generation);
            return generation != markedIn.get() && gates.isClosed(Gate.REMIND);
        }
        return false;
    }

    @Override
    public Consumer<byte[], byte[]> getRestoreConsumer(Map<String, Object> config) {
        return consumer(clients.getRestoreConsumer(config),
                (method, arguments) -> method.equals("poll") && gates.isClosed(Gate.RESTORE));
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
        return proxy(Admin.class, clients.getAdmin(config), (method, arguments) -> {
            if (method.equals("listConsumerGroupOffsets")) {
                gates.pass(Gate.LOOK);
            } else if (method.equals("alterConsumerGroupOffsets") && arguments[0].toString().contains(".segue.mark.")) {
                gates.pass(Gate.CLEAR);
            }
            return false;
        });
    }

    /** Whether a call is left out. */
    private interface Before {
        boolean skips(String method, Object[] arguments) throws InterruptedException;
    }

    @SuppressWarnings("unchecked")
    private static Consumer<byte[], byte[]> consumer(Consumer<byte[], byte[]> real, Before before) {
        return proxy(Consumer.class, real, (method, arguments) -> {
            boolean skips = before.skips(method, arguments);
            if (skips) {
                TimeUnit.MILLISECONDS.sleep(STANDING_MS);
            }
            return skips;
        });
    }

    private static <T> T proxy(Class<T> type, T real, Before before) {
        return type.cast(Proxy.newProxyInstance(
                GatedClients.class.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    if (before.skips(method.getName(), arguments)) {
                        return method.getReturnType() == ConsumerRecords.class ? ConsumerRecords.empty() : null;
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException fault) {
                        throw fault.getCause();
                    }
                }));
    }
}
