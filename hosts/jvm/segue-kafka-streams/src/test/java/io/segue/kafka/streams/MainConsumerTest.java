// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.streams.processor.TaskId;
import org.junit.jupiter.api.Test;

/** Two stream threads of one instance, each with the consumer that Kafka ships for tests. */
class MainConsumerTest {
    private static final TopicPartition CHANGELOG = new TopicPartition("app-counts-changelog", 0);
    private static final Duration LONG = Duration.ofMillis(100);
    private static final HandOverConfig CONFIG = new HandOverConfig(true, 100, 500, 3000, false);

    private final CopyBook book = new CopyBook();
    private final Member member = Member.of(CONFIG, book, new Haste());
    private final Draft firstDraft = new Draft();
    private final FakeConsumer first = new FakeConsumer();
    private final FakeConsumer second = new FakeConsumer();
    private final Consumer<byte[], byte[]> firstSeen = Proxies.consumer(new MainConsumer(first, member, firstDraft, () -> now()));
    private final Consumer<byte[], byte[]> secondSeen =
            Proxies.consumer(new MainConsumer(second, member, new Draft(), () -> now()));
    private long now = 100_000;

    @Test
    void shouldKnowThatTheInstanceLedUntilSomebodyElseDoes() {
        MainConsumer leader = new MainConsumer(first, member, firstDraft, () -> now());
        MainConsumer sibling = new MainConsumer(second, member, new Draft(), () -> now());
        firstDraft.put(Leds.round("learner"));

        sibling.assigned(List.of());
        leader.assigned(List.of());
        assertThat(member.leadership().last()).contains(Leds.by("learner"));

        second.generation++;
        sibling.assigned(List.of());
        assertThat(member.leadership().last()).isEmpty();
    }

    @Test
    void shouldRejoinOnBothThreadsWhenACopyIsCaughtUp() {
        catchUp();
        pollBoth();

        assertThat(first.reasons).containsExactly("segue: 1 of 1 copies are caught up");
        assertThat(second.reasons).containsExactly("segue: 1 of 1 copies are caught up");
    }

    @Test
    void shouldAskOnceForOneRound() {
        catchUp();
        pollBoth();
        pollBoth();

        assertThat(first.reasons).hasSize(1);
    }

    @Test
    void shouldRepeatARequestThatNoRoundFollowed() {
        catchUp();
        pollBoth();
        now += CONFIG.heartbeatMs();
        pollBoth();

        assertThat(first.reasons).hasSize(2);
    }

    @Test
    void shouldNotRepeatARequestThatARoundFollowed() {
        catchUp();
        pollBoth();
        first.generation++;
        second.generation++;
        now += CONFIG.heartbeatMs();
        pollBoth();

        assertThat(first.reasons).hasSize(1);
        assertThat(second.reasons).hasSize(1);
    }

    @Test
    void shouldTakeSiblingsAlongWhenAThreadGivesPartitionsUp() {
        subscribe();
        first.listener.onPartitionsRevoked(List.of(new TopicPartition("orders", 0)));
        pollBoth();

        assertThat(second.reasons).containsExactly("segue: a sibling thread has given partitions up");
    }

    @Test
    void shouldTakeSiblingsAlongWhenStreamsRejoins() {
        firstSeen.enforceRebalance("follow-up");
        pollBoth();

        assertThat(second.reasons).containsExactly("segue: a sibling thread rejoins");
    }

    @Test
    void shouldWaitWithTheNextRoundUntilASiblingHasFinishedThisOne() {
        subscribe();
        first.generation++;
        first.listener.onPartitionsRevoked(List.of(new TopicPartition("orders", 0)));
        pollBoth();
        assertThat(second.reasons).isEmpty();

        second.generation++;
        pollBoth();

        assertThat(second.reasons).hasSize(1);
    }

    @Test
    void shouldNotRejoinWhenNothingWasGivenUp() {
        subscribe();
        first.listener.onPartitionsRevoked(List.of());
        pollBoth();

        assertThat(second.reasons).isEmpty();
    }

    @Test
    void shouldPollAsLongAsStreamsWantsWhileNothingIsUnderWay() {
        firstSeen.poll(LONG);

        assertThat(first.timeout).isEqualTo(LONG);
    }

    @Test
    void shouldPollBrieflyWhileAHandOverIsUnderWay() {
        catchUp();
        firstSeen.poll(LONG);

        assertThat(first.timeout).isLessThan(LONG);
    }

    @Test
    void shouldPollBrieflyAfterATaskHasArrived() {
        subscribe();
        first.listener.onPartitionsAssigned(List.of(new TopicPartition("orders", 0)));
        firstSeen.poll(LONG);

        assertThat(first.timeout).isLessThan(LONG);
    }

    @Test
    void shouldPollAtLeisureAgainWhenTheHandOverIsOver() {
        subscribe();
        first.listener.onPartitionsAssigned(List.of(new TopicPartition("orders", 0)));
        now += CONFIG.heartbeatMs();
        firstSeen.poll(LONG);

        assertThat(first.timeout).isEqualTo(LONG);
    }

    @Test
    void shouldPassStreamsItsOwnListenerCalls() {
        List<String> heard = new ArrayList<>();
        firstSeen.subscribe(List.of("orders"), new ConsumerRebalanceListener() {
            @Override
            public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
                heard.add("revoked");
            }

            @Override
            public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
                heard.add("assigned");
            }

            @Override
            public void onPartitionsLost(Collection<TopicPartition> partitions) {
                heard.add("lost");
            }
        });
        first.listener.onPartitionsAssigned(List.of());
        first.listener.onPartitionsRevoked(List.of());
        first.listener.onPartitionsLost(List.of());

        assertThat(heard).containsExactly("assigned", "revoked", "lost");
    }

    /** A fenced commit throws out of the listener; the consumer has given the partitions up all the same. */
    @Test
    void shouldOwnNothingThatWasGivenUpWhileStreamsFailed() {
        TopicPartition orders = new TopicPartition("orders", 0);
        firstSeen.subscribe(List.of("orders"), new FencedListener());

        assertThatThrownBy(() -> first.listener.onPartitionsAssigned(List.of(orders)))
                .isInstanceOf(ProducerFencedException.class);
        assertThat(member.owned().partitions()).containsExactly(orders);
        assertThatThrownBy(() -> first.listener.onPartitionsRevoked(List.of(orders)))
                .isInstanceOf(ProducerFencedException.class);
        assertThat(member.owned().partitions()).isEmpty();
    }

    @Test
    void shouldThrowWhatTheRealConsumerThrows() {
        first.wakeup();

        assertThatThrownBy(() -> firstSeen.poll(Duration.ZERO)).isInstanceOf(WakeupException.class);
    }

    private void catchUp() {
        book.started(CHANGELOG, now);
        book.loaded(CHANGELOG, new TaskId(0, 0), 0, now);
        pollBoth();
        now += CONFIG.batchMs();
    }

    private void subscribe() {
        firstSeen.subscribe(List.of("orders"), new QuietListener());
        secondSeen.subscribe(List.of("orders"), new QuietListener());
    }

    private void pollBoth() {
        firstSeen.poll(Duration.ZERO);
        secondSeen.poll(Duration.ZERO);
    }

    private long now() {
        return now;
    }

    private static final class FencedListener implements ConsumerRebalanceListener {
        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            throw new ProducerFencedException("another one has this id");
        }

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            throw new ProducerFencedException("another one has this id");
        }
    }

    private static final class QuietListener implements ConsumerRebalanceListener {
        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        }

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        }
    }

    private static final class FakeConsumer extends MockConsumer<byte[], byte[]> {
        private final List<String> reasons = new ArrayList<>();
        private ConsumerRebalanceListener listener;
        private int generation = 7;
        private Duration timeout;

        FakeConsumer() {
            super("none");
        }

        @Override
        public synchronized void subscribe(Collection<String> topics, ConsumerRebalanceListener given) {
            super.subscribe(topics, given);
            listener = given;
        }

        @Override
        public synchronized ConsumerRecords<byte[], byte[]> poll(Duration given) {
            timeout = given;
            return super.poll(Duration.ZERO);
        }

        @Override
        public void enforceRebalance(String reason) {
            reasons.add(reason);
        }

        /** No other way to name a generation exists in all releases that are supported. */
        @Override
        @SuppressWarnings("removal")
        public ConsumerGroupMetadata groupMetadata() {
            return new ConsumerGroupMetadata("app", generation, "member", Optional.empty());
        }
    }
}
