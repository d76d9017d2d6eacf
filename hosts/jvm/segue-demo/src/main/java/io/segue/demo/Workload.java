// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/** The input stream as a pure function of a seed: every assignor is fed exactly the same records. */
record Workload(int partitions, int keysPerPartition, int payloadBytes, long seed) {
    /** The sequence number of a record that only fills the state. */
    static final long PRELOAD = -1;

    static Workload of(Settings settings) {
        return new Workload(
                settings.partitions(), settings.keysPerPartition(), settings.payloadBytes(), settings.seed());
    }

    String key(int partition, int index) {
        return partition + "-" + index;
    }

    static int partitionOf(String key) {
        return Integer.parseInt(key.substring(0, key.indexOf('-')));
    }

    static int indexOf(String key) {
        return Integer.parseInt(key.substring(key.indexOf('-') + 1));
    }

    /** The key that the partition's record number {@code sequence} updates. */
    int keyAt(int partition, long sequence) {
        long mixed = new SplittableRandom(seed ^ (sequence * 1_000_003 + partition)).nextLong();
        return (int) Long.remainderUnsigned(mixed, keysPerPartition);
    }

    /** A payload nobody can compress away, led by its sequence number. */
    byte[] payload(int partition, int index, long sequence) {
        byte[] bytes = new byte[payloadBytes];
        new SplittableRandom(seed + partition * 31L + index * 131L + sequence).nextBytes(bytes);
        ByteBuffer.wrap(bytes).putLong(sequence);
        return bytes;
    }

    static long sequenceOf(byte[] payload) {
        return ByteBuffer.wrap(payload).getLong();
    }
}
