// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.util.List;

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

    Verdict examine(OutputWatch output, List<Instance> instances, boolean activeTwice) {
        for (int partition = 0; partition < workload.partitions(); partition++) {
            examineOutputs(partition, output.emissions(partition));
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
        java.util.Arrays.fill(counts[partition], 1);
        java.util.Arrays.fill(newest[partition], Workload.PRELOAD);
        long[] expected = new long[(int) perPartition];
        for (int sequence = 0; sequence < expected.length; sequence++) {
            int key = workload.keyAt(partition, sequence);
            expected[sequence] = ++counts[partition][key];
            newest[partition][key] = sequence;
        }
        return expected;
    }

    private void examineState(Instance instance) {
        ReadOnlyKeyValueStore<String, byte[]> payloads = instance.streams().store(
                StoreQueryParameters.fromNameAndType(CountingTopology.NEWEST, QueryableStoreTypes.keyValueStore()));
        ReadOnlyKeyValueStore<String, Long> counted = instance.streams().store(
                StoreQueryParameters.fromNameAndType(CountingTopology.COUNTS, QueryableStoreTypes.keyValueStore()));
        try (KeyValueIterator<String, Long> all = counted.all()) {
            all.forEachRemaining(entry -> {
                int partition = Workload.partitionOf(entry.key);
                int index = Workload.indexOf(entry.key);
                byte[] payload = payloads.get(entry.key);
                boolean right = entry.value == counts[partition][index]
                        && payload != null
                        && Workload.sequenceOf(payload) == newest[partition][index];
                keys++;
                wrongKeys += right ? 0 : 1;
            });
        }
    }
}
