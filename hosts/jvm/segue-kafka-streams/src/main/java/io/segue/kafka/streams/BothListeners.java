// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.processor.StandbyUpdateListener;
import org.apache.kafka.streams.processor.TaskId;

/** Segue's listener first, so that a fault of the application's cannot hide an update from it. */
record BothListeners(StandbyUpdateListener segue, StandbyUpdateListener application)
        implements StandbyUpdateListener {
    @Override
    public void onUpdateStart(TopicPartition changelog, String store, long startingOffset) {
        segue.onUpdateStart(changelog, store, startingOffset);
        application.onUpdateStart(changelog, store, startingOffset);
    }

    @Override
    public void onBatchLoaded(
            TopicPartition changelog, String store, TaskId task, long batchEnd, long records, long end) {
        segue.onBatchLoaded(changelog, store, task, batchEnd, records, end);
        application.onBatchLoaded(changelog, store, task, batchEnd, records, end);
    }

    @Override
    public void onUpdateSuspended(
            TopicPartition changelog, String store, long offset, long end, SuspendReason reason) {
        segue.onUpdateSuspended(changelog, store, offset, end, reason);
        application.onUpdateSuspended(changelog, store, offset, end, reason);
    }
}
