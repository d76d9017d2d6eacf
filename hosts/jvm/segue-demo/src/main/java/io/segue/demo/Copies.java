// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.processor.StandbyUpdateListener;
import org.apache.kafka.streams.processor.StateRestoreListener;
import org.apache.kafka.streams.processor.TaskId;

/** The state copies one instance builds, told by Kafka Streams' own listeners. Safe from any thread. */
final class Copies implements StandbyUpdateListener, StateRestoreListener {
    private final long recoveryLag;
    private final Map<TopicPartition, StoreCopy> stores = new HashMap<>();
    private final Set<TopicPartition> open = new HashSet<>();
    private final Set<Integer> built = new HashSet<>();

    Copies(long recoveryLag) {
        this.recoveryLag = recoveryLag;
    }

    synchronized void restart() {
        built.clear();
    }

    /** Tasks whose state was copied to this instance since {@link #restart}. */
    synchronized int built() {
        return built.size();
    }

    /** What is being copied now, if anything is. */
    synchronized Optional<CopyProgress> progress() {
        if (stores.isEmpty()) {
            return Optional.empty();
        }
        Map<Integer, Long> lags = stores.values().stream()
                .collect(Collectors.groupingBy(StoreCopy::partition, Collectors.summingLong(StoreCopy::lag)));
        long behind = lags.values().stream().filter(lag -> lag > recoveryLag).count();
        Collection<StoreCopy> all = List.copyOf(stores.values());
        return Optional.of(new CopyProgress(
                all.stream().anyMatch(StoreCopy::learning),
                lags.size(),
                lags.size() - (int) behind,
                all.stream().mapToLong(StoreCopy::loaded).sum(),
                all.stream().mapToLong(StoreCopy::total).sum()));
    }

    /** A learner that became the owner restores its last records: that is no copy of its own. */
    private synchronized void begin(StoreCopy copy, TopicPartition changelog) {
        if (copy.learning() || !built.contains(copy.partition())) {
            stores.put(changelog, copy);
            open.add(changelog);
        }
    }

    private synchronized void move(TopicPartition changelog, long position, long end) {
        StoreCopy copy = stores.computeIfPresent(changelog, (key, old) -> old.at(position, end));
        if (copy != null) {
            built.add(copy.partition());
        }
    }

    /** What is finished stays part of the sums until everything is, so that progress never goes back. */
    private synchronized void end(TopicPartition changelog) {
        stores.computeIfPresent(changelog, (key, copy) -> copy.finished());
        open.remove(changelog);
        if (open.isEmpty()) {
            stores.clear();
        }
    }

    /** Nothing is known of the end yet: a copy that has only begun is as far behind as can be. */
    @Override
    public void onUpdateStart(TopicPartition changelog, String store, long start) {
        begin(new StoreCopy(changelog.partition(), true, start, start, start + recoveryLag + 1), changelog);
    }

    @Override
    public void onBatchLoaded(
            TopicPartition changelog, String store, TaskId task, long batchEnd, long records, long end) {
        move(changelog, batchEnd + 1, end);
    }

    @Override
    public void onUpdateSuspended(
            TopicPartition changelog, String store, long position, long end, SuspendReason reason) {
        end(changelog);
    }

    @Override
    public void onRestoreStart(TopicPartition changelog, String store, long start, long end) {
        begin(new StoreCopy(changelog.partition(), false, start, start, end), changelog);
    }

    @Override
    public synchronized void onBatchRestored(TopicPartition changelog, String store, long batchEnd, long records) {
        StoreCopy copy = stores.get(changelog);
        if (copy != null) {
            move(changelog, batchEnd + 1, copy.end());
        }
    }

    @Override
    public void onRestoreEnd(TopicPartition changelog, String store, long records) {
        end(changelog);
    }

    @Override
    public void onRestoreSuspended(TopicPartition changelog, String store, long records) {
        end(changelog);
    }
}
