// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.Collection;
import java.util.Map;
import java.util.Set;

import org.apache.kafka.common.TopicPartition;

/**
 * One task's copy of state: the leader judges it by the sum over its stores, so the member does as well.
 *
 * @param changelogs what it is made of
 * @param lag records still to replay, {@link Changelog#UNKNOWN} if any store could not say
 * @param speed records it comes nearer per millisecond
 */
record Copy(Set<TopicPartition> changelogs, long lag, double speed) {
    static Copy of(Map<TopicPartition, Changelog> stores) {
        Collection<Changelog> all = stores.values();
        boolean known = all.stream().allMatch(Changelog::known);
        long lag = known ? all.stream().mapToLong(Changelog::lag).sum() : Changelog.UNKNOWN;
        return new Copy(Set.copyOf(stores.keySet()), lag, known ? speed(all) : 0);
    }

    private static double speed(Collection<Changelog> all) {
        long first = all.stream().mapToLong(Changelog::firstLag).sum();
        long last = all.stream().mapToLong(Changelog::lag).sum();
        long from = all.stream().mapToLong(Changelog::firstAt).min().orElse(0);
        long to = all.stream().mapToLong(Changelog::at).max().orElse(0);
        return (double) (first - last) / Math.max(1, to - from);
    }

    boolean caughtUp(long recoveryLag) {
        return lag <= recoveryLag;
    }

    /** Whether it will be caught up within the given time, going on as it did. */
    boolean nearly(long recoveryLag, long withinMs) {
        return !caughtUp(recoveryLag)
                && lag != Changelog.UNKNOWN
                && speed > 0
                && (lag - recoveryLag) / speed <= withinMs;
    }
}
