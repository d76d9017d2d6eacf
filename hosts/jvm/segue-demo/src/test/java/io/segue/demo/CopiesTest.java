// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.processor.StandbyUpdateListener.SuspendReason;
import org.apache.kafka.streams.processor.TaskId;
import org.junit.jupiter.api.Test;

class CopiesTest {
    private static final TopicPartition COUNTS = new TopicPartition("counts-changelog", 2);
    private static final TopicPartition NEWEST = new TopicPartition("newest-changelog", 2);
    private static final TaskId TASK = new TaskId(0, 2);

    private final Copies copies = new Copies(10);

    @Test
    void shouldCallATaskReadyWhenAllItsStoresTogetherAre() {
        copies.onUpdateStart(COUNTS, "counts", 0);
        copies.onUpdateStart(NEWEST, "newest", 0);
        copies.onBatchLoaded(COUNTS, "counts", TASK, 93, 94, 100);
        copies.onBatchLoaded(NEWEST, "newest", TASK, 93, 94, 100);
        assertThat(copies.progress()).contains(new CopyProgress(true, 1, 0, 188, 200));

        copies.onBatchLoaded(NEWEST, "newest", TASK, 99, 6, 100);

        assertThat(copies.progress()).contains(new CopyProgress(true, 1, 1, 194, 200));
    }

    @Test
    void shouldCountATaskOnceHoweverManyStoresItHas() {
        copies.onRestoreStart(COUNTS, "counts", 0, 100);
        copies.onRestoreStart(NEWEST, "newest", 0, 100);
        copies.onBatchRestored(COUNTS, "counts", 99, 100);
        copies.onBatchRestored(NEWEST, "newest", 99, 100);

        assertThat(copies.built()).isOne();
    }

    @Test
    void shouldNotCountThePromotedCopysTailAsASecondCopy() {
        copies.onUpdateStart(COUNTS, "counts", 0);
        copies.onBatchLoaded(COUNTS, "counts", TASK, 99, 100, 100);
        copies.onUpdateSuspended(COUNTS, "counts", 100, 100, SuspendReason.PROMOTED);
        copies.onRestoreStart(COUNTS, "counts", 100, 105);

        assertThat(copies.progress()).isEmpty();
        assertThat(copies.built()).isOne();
    }

    @Test
    void shouldKeepAFinishedStoreInTheSumsUntilAllAreFinished() {
        copies.onRestoreStart(COUNTS, "counts", 0, 100);
        copies.onRestoreStart(NEWEST, "newest", 0, 100);
        copies.onBatchRestored(COUNTS, "counts", 99, 100);
        copies.onRestoreEnd(COUNTS, "counts", 100);
        assertThat(copies.progress()).contains(new CopyProgress(false, 1, 0, 100, 200));

        copies.onRestoreEnd(NEWEST, "newest", 100);

        assertThat(copies.progress()).isEmpty();
    }

    @Test
    void shouldNotCountACopyThatHadNothingToLoad() {
        copies.onRestoreStart(COUNTS, "counts", 100, 100);
        copies.onRestoreEnd(COUNTS, "counts", 0);

        assertThat(copies.built()).isZero();
    }
}
