// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/** The columns of a wire message; an absent one is empty. */
final class WireReader {
    private final ByteBuffer message;
    private final Map<Integer, Section> sections = new HashMap<>();

    private record Section(int elementBytes, long offset, int count) {}

    WireReader(ByteBuffer message, int magic) {
        this.message = Buffers.little(message.duplicate());
        if (message.capacity() < Wire.HEADER_BYTES || this.message.getInt(0) != magic) {
            throw new SegueException("bad-wire", "the answer is no wire message of the expected kind");
        }
        for (int index = 0; index < this.message.getInt(16); index++) {
            int row = Wire.HEADER_BYTES + index * Wire.DIRECTORY_BYTES;
            sections.put(
                    this.message.getInt(row),
                    new Section(
                            this.message.getInt(row + 4),
                            this.message.getLong(row + 8),
                            Math.toIntExact(this.message.getLong(row + 16))));
        }
    }

    int[] ints(int id) {
        Section section = section(id, Integer.BYTES);
        int[] column = new int[section.count];
        bytes(section).asIntBuffer().get(column);
        return column;
    }

    byte[] bytes(int id) {
        Section section = section(id, Byte.BYTES);
        byte[] column = new byte[section.count];
        bytes(section).get(column);
        return column;
    }

    double[] doubles(int id) {
        Section section = section(id, Double.BYTES);
        double[] column = new double[section.count];
        bytes(section).asDoubleBuffer().get(column);
        return column;
    }

    long[] longs(int id) {
        Section section = section(id, Long.BYTES);
        long[] column = new long[section.count];
        bytes(section).asLongBuffer().get(column);
        return column;
    }

    private Section section(int id, int elementBytes) {
        Section section = sections.getOrDefault(id, new Section(elementBytes, 0, 0));
        if (section.elementBytes != elementBytes) {
            throw new SegueException("bad-wire", "section " + id + " of the answer has elements of "
                    + section.elementBytes + " bytes, not " + elementBytes);
        }
        return section;
    }

    private ByteBuffer bytes(Section section) {
        int size = Math.multiplyExact(section.elementBytes, section.count);
        return Buffers.little(message.slice(Math.toIntExact(section.offset), size));
    }
}
