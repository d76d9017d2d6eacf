// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.processor.TaskId;
import org.junit.jupiter.api.Test;

/** When a member asks, and when it does not. Times are made up, in milliseconds. */
class HandOverPolicyTest {
    private static final long LAG = 100;
    private static final long BATCH = 500;
    private static final long HEARTBEAT = 3000;

    private final CopyBook book = new CopyBook();
    private HandOverPolicy policy = policy(true, false);
    private long now = 3_000_000;
    private long askedAt;

    @Test
    void shouldAskOnceACopyIsCaughtUpAndCalm() {
        start("counts", 0);
        load("counts", 0, 10);

        assertThat(asksWithin(BATCH - 100)).isZero();
        assertThat(asksWithin(300)).isOne();
    }

    @Test
    void shouldNotAskWhileACopyIsBehind() {
        start("counts", 0);
        load("counts", 0, LAG + 1);

        assertThat(asksWithin(60_000)).isZero();
    }

    @Test
    void shouldJudgeACopyByTheSumOverItsStores() {
        start("counts", 0);
        start("newest", 0);
        load("counts", 0, 60);
        load("newest", 0, 60);

        assertThat(asksWithin(60_000)).isZero();

        load("newest", 0, 40);

        assertThat(asksWithin(1000)).isOne();
    }

    @Test
    void shouldNotAskBeforeEveryStoreOfTheCopyIsKnown() {
        start("counts", 0);
        start("newest", 0);
        load("counts", 0, 0);

        assertThat(asksWithin(60_000)).isZero();
    }

    @Test
    void shouldAskForACopyThatNeverLoadsABatch() {
        start("counts", 0);
        book.idle(changelog("counts", 0), 0, now);

        assertThat(asksWithin(1000)).isOne();
    }

    @Test
    void shouldGatherWhatGetsReadyShortlyAfterwardsIntoOneRequest() {
        start("counts", 0);
        start("counts", 1);
        load("counts", 0, 0);
        asksWithin(BATCH - 100);
        load("counts", 1, 0);

        assertThat(asksWithin(BATCH - 100)).isZero();
        assertThat(asksWithin(300)).isOne();
    }

    @Test
    void shouldWaitForACopyThatIsNearlyThere() {
        start("counts", 0);
        start("counts", 1);
        load("counts", 0, 0);
        load("counts", 1, 20_000);
        now += 1000;
        load("counts", 1, 10_000);

        assertThat(asksWithin(1000)).isZero();

        load("counts", 1, 0);

        assertThat(asksWithin(1000)).isOne();
    }

    @Test
    void shouldNotWaitForACopyThatTakesLong() {
        start("counts", 0);
        start("counts", 1);
        load("counts", 0, 0);
        load("counts", 1, 1_000_000);
        now += 1000;
        load("counts", 1, 999_000);

        assertThat(asksWithin(1000)).isOne();
    }

    @Test
    void shouldNotWaitForEverForACopyThatSeemedNearlyThere() {
        start("counts", 0);
        start("counts", 1);
        load("counts", 0, 0);
        load("counts", 1, 20_000);
        now += 1000;
        load("counts", 1, 10_000);

        assertThat(asksWithin(2 * HEARTBEAT + BATCH)).isOne();
    }

    @Test
    void shouldAskAgainWhenARequestWasLost() {
        start("counts", 0);
        load("counts", 0, 0);
        assertThat(asksWithin(1000)).isOne();

        assertThat(asksWithin(2 * HEARTBEAT - 1000)).isZero();
        assertThat(asksWithin(1000)).isOne();
    }

    @Test
    void shouldStopAskingWhenTheCopyIsPromoted() {
        start("counts", 0);
        load("counts", 0, 0);
        assertThat(asksWithin(1000)).isOne();
        book.ended(changelog("counts", 0));

        assertThat(asksWithin(600_000)).isZero();
    }

    @Test
    void shouldAskLessAndLessOften() {
        start("counts", 0);
        load("counts", 0, 0);

        assertThat(asksWithin(3_600_000)).isBetween(20, 60);
    }

    @Test
    void shouldAskForAPlainStandbyOnlyAFewTimes() {
        policy = policy(true, true);
        start("counts", 0);
        load("counts", 0, 0);

        assertThat(asksWithin(3_600_000)).isEqualTo(3);
    }

    @Test
    void shouldAskForALearnerBesideStandbysThatWereAskedForLongAgo() {
        policy = policy(true, true);
        start("counts", 0);
        load("counts", 0, 0);
        asksWithin(3_600_000);
        start("counts", 1);
        load("counts", 1, 0);

        assertThat(asksWithin(1000)).isOne();
    }

    @Test
    void shouldNotStartASecondWaveWhileTheFirstIsUnderWay() {
        start("counts", 0);
        load("counts", 0, 0);
        assertThat(asksWithin(1000)).isOne();
        start("counts", 1);
        load("counts", 1, 0);
        asksWithin(BATCH - 100);
        policy.roundEnded(now);

        assertThat(asksWithin(BATCH)).isZero();
        assertThat(asksWithin(HEARTBEAT)).isOne();
    }

    @Test
    void shouldAskShortlyBeforeTheLeadersHeartbeat() {
        policy.roundEnded(now);
        start("counts", 0);
        load("counts", 0, 0);

        assertThat(asksWithin(2 * HEARTBEAT - 500)).isOne();
        assertThat(askedAt % HEARTBEAT).isGreaterThanOrEqualTo(HEARTBEAT - 300);
    }

    @Test
    void shouldAskAtAnyTimeWhenItMissedTheMoment() {
        policy.roundEnded(now);
        start("counts", 0);
        load("counts", 0, 0);
        policy.due(book, now);
        now += 3 * HEARTBEAT + 1000;

        assertThat(policy.due(book, now)).isPresent();
    }

    @Test
    void shouldWaitForAllCopiesInStableMode() {
        policy = policy(false, false);
        start("counts", 0);
        start("counts", 1);
        load("counts", 0, 0);
        load("counts", 1, 1_000_000);

        assertThat(asksWithin(60_000)).isZero();

        load("counts", 1, 0);

        assertThat(asksWithin(1000)).isOne();
    }

    @Test
    void shouldSayHowManyCopiesAreCaughtUp() {
        start("counts", 0);
        start("counts", 1);
        load("counts", 0, 0);
        load("counts", 1, 1_000_000);
        policy.due(book, now);
        now += BATCH;

        assertThat(policy.due(book, now)).contains("segue: 1 of 2 copies are caught up");
    }

    private int asksWithin(long ms) {
        int asks = 0;
        for (long end = now + ms; now < end; now += 100) {
            if (policy.due(book, now).isPresent()) {
                asks++;
                askedAt = now;
            }
        }
        return asks;
    }

    private static HandOverPolicy policy(boolean anyReady, boolean standbys) {
        return new HandOverPolicy(new HandOverConfig(anyReady, LAG, BATCH, HEARTBEAT, standbys));
    }

    private void start(String store, int partition) {
        book.started(changelog(store, partition), now);
    }

    private void load(String store, int partition, long lag) {
        book.loaded(changelog(store, partition), new TaskId(0, partition), lag, now);
    }

    private static TopicPartition changelog(String store, int partition) {
        return new TopicPartition("app-" + store + "-changelog", partition);
    }
}
