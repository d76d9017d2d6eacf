// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * What the application writes for one input record.
 *
 * @param sequence the input record's number within its partition
 * @param count how often the record's key has been seen, this record included
 * @param instance who processed it
 */
record Emission(int partition, long sequence, long count, String instance) {
    byte[] encode() {
        byte[] name = instance.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(Integer.BYTES + 2 * Long.BYTES + name.length)
                .putInt(partition)
                .putLong(sequence)
                .putLong(count)
                .put(name)
                .array();
    }

    static Emission decode(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        int partition = buffer.getInt();
        long sequence = buffer.getLong();
        long count = buffer.getLong();
        return new Emission(partition, sequence, count, StandardCharsets.UTF_8.decode(buffer).toString());
    }
}
