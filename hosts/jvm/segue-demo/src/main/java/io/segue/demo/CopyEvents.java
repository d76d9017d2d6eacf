// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.processor.StandbyUpdateListener;
import org.apache.kafka.streams.processor.StateRestoreListener;
import org.apache.kafka.streams.processor.TaskId;

/** Tells the journal of the copies one instance builds, and another listener behind it. Safe from any thread. */
record CopyEvents(String instance, Journal journal, Copies next) implements StandbyUpdateListener, StateRestoreListener {
    @Override
    public void onUpdateStart(TopicPartition changelog, String store, long start) {
        journal.updates(changelog.partition(), instance, store, start);
        next.onUpdateStart(changelog, store, start);
    }

    @Override
    public void onBatchLoaded(
            TopicPartition changelog, String store, TaskId task, long batchEnd, long records, long end) {
        journal.moved(changelog.partition(), instance, store, batchEnd + 1, end);
        next.onBatchLoaded(changelog, store, task, batchEnd, records, end);
    }

    @Override
    public void onUpdateSuspended(
            TopicPartition changelog, String store, long position, long end, SuspendReason reason) {
        if (reason == SuspendReason.MIGRATED) {
            journal.putAside(changelog.partition(), instance);
        }
        next.onUpdateSuspended(changelog, store, position, end, reason);
    }

    @Override
    public void onRestoreStart(TopicPartition changelog, String store, long start, long end) {
        journal.restores(changelog.partition(), instance, store, start, end);
        next.onRestoreStart(changelog, store, start, end);
    }

    @Override
    public void onBatchRestored(TopicPartition changelog, String store, long batchEnd, long records) {
        journal.moved(changelog.partition(), instance, store, batchEnd + 1, -1);
        next.onBatchRestored(changelog, store, batchEnd, records);
    }

    @Override
    public void onRestoreEnd(TopicPartition changelog, String store, long records) {
        next.onRestoreEnd(changelog, store, records);
    }

    @Override
    public void onRestoreSuspended(TopicPartition changelog, String store, long records) {
        journal.putAside(changelog.partition(), instance);
        next.onRestoreSuspended(changelog, store, records);
    }
}
