// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.processor.TaskId;
import org.junit.jupiter.api.Test;

class CopyBookTest {
    private static final TaskId TASK = new TaskId(0, 3);
    private static final TopicPartition COUNTS = new TopicPartition("counts", 3);
    private static final TopicPartition NEWEST = new TopicPartition("newest", 3);

    private final CopyBook book = new CopyBook();

    @Test
    void shouldGatherTheStoresOfOneTaskIntoOneCopy() {
        book.started(COUNTS, 0);
        book.started(NEWEST, 0);
        book.loaded(COUNTS, TASK, 5, 1);
        book.loaded(NEWEST, TASK, 7, 1);

        assertThat(book.copies()).singleElement().extracting(Copy::lag).isEqualTo(12L);
    }

    @Test
    void shouldCountAStoreOfAnUnknownTaskForTheTaskOfItsPartition() {
        book.started(COUNTS, 0);
        book.started(NEWEST, 0);
        book.loaded(COUNTS, TASK, 5, 1);

        assertThat(book.copies()).singleElement().extracting(Copy::lag).isEqualTo(Changelog.UNKNOWN);
    }

    @Test
    void shouldKeepCopiesOfDifferentSubtopologiesApart() {
        book.started(COUNTS, 0);
        book.started(NEWEST, 0);
        book.loaded(COUNTS, TASK, 5, 1);
        book.loaded(NEWEST, new TaskId(1, 3), 7, 1);

        assertThat(book.copies()).extracting(Copy::lag).containsExactlyInAnyOrder(5L, 7L);
    }

    @Test
    void shouldPreferWhatABatchSaidOverWhatAPollSaw() {
        book.started(COUNTS, 0);
        book.loaded(COUNTS, TASK, 5, 1);
        book.idle(COUNTS, 900, 2);

        assertThat(book.copies()).singleElement().extracting(Copy::lag).isEqualTo(5L);
    }

    @Test
    void shouldForgetACopyThatHasEnded() {
        book.started(COUNTS, 0);
        book.ended(COUNTS);
        book.loaded(COUNTS, TASK, 5, 1);

        assertThat(book.copies()).isEmpty();
    }

    @Test
    void shouldNameTheChangelogsThatWereNotHeardOf() {
        book.started(COUNTS, 0);
        book.started(NEWEST, 0);
        book.loaded(COUNTS, TASK, 5, 1);

        assertThat(book.silent()).containsExactly(NEWEST);
    }
}
