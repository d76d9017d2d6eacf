// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.function.LongSupplier;

import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stands before one stream thread's main consumer. All calls go through; {@code poll} makes the member join again
 * first, where that is due, because a consumer may only be used by the thread that polls it.
 */
final class MainConsumer implements InvocationHandler {
    private static final Logger LOG = LoggerFactory.getLogger(MainConsumer.class);
    private static final long SETTLING_MS = 1000;

    private final Consumer<byte[], byte[]> consumer;
    private final Member member;
    private final Draft draft;
    private final LongSupplier clock;
    private Rejoin.Wish served = new Rejoin.Wish(-1, "");
    private long repeatAt;

    /** @param draft where the assignor of this consumer leaves what it computed */
    MainConsumer(Consumer<byte[], byte[]> consumer, Member member, Draft draft, LongSupplier clock) {
        this.consumer = consumer;
        this.member = member;
        this.draft = draft;
        this.clock = clock;
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        switch (method.getName()) {
            case "poll" -> beforePoll(arguments);
            case "enforceRebalance" -> siblingsFollow("segue: a sibling thread rejoins");
            case "subscribe" -> listen(arguments);
            default -> { }
        }
        return Proxies.pass(consumer, method, arguments);
    }

    private void beforePoll(Object[] arguments) {
        int generation = Integer.MIN_VALUE;
        var request = member.requestDue(clock.getAsLong());
        if (request.isPresent()) {
            generation = generation();
            member.rejoin().reach(generation + 1, request.get());
            member.haste().during(clock.getAsLong(), member.heartbeatMs() + SETTLING_MS);
            LOG.info("{}; asking for a rebalance", request.get());
        }
        Rejoin.Wish wish = member.rejoin().wish();
        if (wish != served) {
            serve(wish, generation == Integer.MIN_VALUE ? generation() : generation);
        }
        member.haste().shorten(arguments, clock.getAsLong());
    }

    /** A consumer still at the generation before last hears of this round when it has got there. */
    private void serve(Rejoin.Wish wish, int generation) {
        if (generation >= wish.generation()) {
            served = wish;
        } else if (generation == wish.generation() - 1 && clock.getAsLong() >= repeatAt) {
            repeatAt = clock.getAsLong() + member.heartbeatMs();
            consumer.enforceRebalance(wish.reason());
        }
    }

    private void siblingsFollow(String reason) {
        member.rejoin().reach(generation() + 1, reason);
    }

    private int generation() {
        return consumer.groupMetadata().generationId();
    }

    private void listen(Object[] arguments) {
        for (int i = 0; i < arguments.length; i++) {
            if (arguments[i] instanceof ConsumerRebalanceListener listener) {
                arguments[i] = new RoundListener(listener, this);
            } else if (arguments[i] instanceof Collection<?> topics) {
                member.topics().note(topics.stream().map(String::valueOf).toList());
            }
        }
    }

    /** Streams joins again by itself after giving partitions up; its sibling threads are taken along. */
    void revoked(Collection<TopicPartition> partitions) {
        member.owned().remove(this, partitions);
        if (partitions.isEmpty()) {
            return;
        }
        siblingsFollow("segue: a sibling thread has given partitions up");
        member.haste().during(clock.getAsLong(), SETTLING_MS);
    }

    void assigned(Collection<TopicPartition> partitions) {
        member.owned().add(this, partitions);
        member.topics().note(partitions.stream().map(TopicPartition::topic).toList());
        member.roundEnded(clock.getAsLong());
        int generation = generation();
        draft.take().ifPresentOrElse(
                round -> member.leadership().led(generation, round), () -> member.leadership().followed(generation));
        if (!partitions.isEmpty()) {
            member.haste().during(clock.getAsLong(), SETTLING_MS);
        }
    }

    void lost(Collection<TopicPartition> partitions) {
        member.owned().remove(this, partitions);
        member.rejoin().forget();
    }
}
