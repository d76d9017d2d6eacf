// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.util.Arrays;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.IntFunction;

import org.apache.kafka.streams.StoreQueryParameters;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.QueryableStoreTypes;
import org.apache.kafka.streams.state.ReadOnlyKeyValueStore;

/** Replays the input in memory and compares outputs and final state with it, record by record. */
final class Audit {
    private final Workload workload;
    private final long perPartition;
    private final int[][] counts;
    private final long[][] newest;
    private long lost;
    private long doubled;
    private long miscounted;
    private long keys;
    private long wrongKeys;

    Audit(Workload workload, long perPartition) {
        this.workload = workload;
        this.perPartition = perPartition;
        this.counts = new int[workload.partitions()][workload.keysPerPartition()];
        this.newest = new long[workload.partitions()][workload.keysPerPartition()];
    }

    /**
     * @param outputs what was written for each partition, in the order it was read
     */
    Verdict examine(IntFunction<List<Emission>> outputs, List<Instance> instances, boolean activeTwice) {
        for (int partition = 0; partition < workload.partitions(); partition++) {
            examineOutputs(partition, outputs.apply(partition));
        }
        instances.forEach(this::examineState);
        wrongKeys += Math.abs((long) workload.partitions() * workload.keysPerPartition() - keys);
        return new Verdict(
                perPartition * workload.partitions(), lost, doubled, miscounted, keys, wrongKeys, activeTwice);
    }

    private void examineOutputs(int partition, List<Emission> emissions) {
        long[] expected = replay(partition);
        boolean[] seen = new boolean[expected.length];
        for (Emission emission : emissions) {
            int sequence = (int) emission.sequence();
            if (sequence < 0 || sequence >= seen.length) {
                miscounted++;
                continue;
            }
            doubled += seen[sequence] ? 1 : 0;
            miscounted += emission.count() != expected[sequence] ? 1 : 0;
            seen[sequence] = true;
        }
        for (boolean one : seen) {
            lost += one ? 0 : 1;
        }
    }

    /** @return the count each record of the partition must have been given */
    private long[] replay(int partition) {
        Arrays.fill(counts[partition], 1);
        Arrays.fill(newest[partition], Workload.PRELOAD);
        long[] expected = new long[(int) perPartition];
        for (int sequence = 0; sequence < expected.length; sequence++) {
            int key = workload.keyAt(partition, sequence);
            expected[sequence] = ++counts[partition][key];
            newest[partition][key] = sequence;
        }
        return expected;
    }

    private void examineState(Instance instance) {
        scan(instance, CountingTopology.COUNTS, (String key, Long count) -> {
            keys++;
            return count == counts[Workload.partitionOf(key)][Workload.indexOf(key)];
        });
        scan(instance, CountingTopology.NEWEST, (String key, byte[] payload) -> Workload.sequenceOf(payload)
                == newest[Workload.partitionOf(key)][Workload.indexOf(key)]);
    }

    private <V> void scan(Instance instance, String store, BiPredicate<String, V> right) {
        ReadOnlyKeyValueStore<String, V> entries = instance.streams()
                .store(StoreQueryParameters.fromNameAndType(store, QueryableStoreTypes.keyValueStore()));
        try (KeyValueIterator<String, V> all = entries.all()) {
            all.forEachRemaining(entry -> wrongKeys += right.test(entry.key, entry.value) ? 0 : 1);
        }
    }
}
