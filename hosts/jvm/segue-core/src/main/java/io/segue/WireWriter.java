// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Builds a wire message out of columns that come with ascending ids. */
final class WireWriter {
    private final List<Section> sections = new ArrayList<>();

    private record Section(int id, int elementBytes, int count, Consumer<ByteBuffer> filler) {
        int room() {
            return Wire.align(Math.multiplyExact(elementBytes, count));
        }
    }

    void bytes(int id, byte[] column) {
        add(id, Byte.BYTES, column.length, buffer -> buffer.put(column));
    }

    void ints(int id, int[] column) {
        add(id, Integer.BYTES, column.length, buffer -> buffer.asIntBuffer().put(column));
    }

    void longs(int id, long[] column) {
        add(id, Long.BYTES, column.length, buffer -> buffer.asLongBuffer().put(column));
    }

    void doubles(int id, double[] column) {
        add(id, Double.BYTES, column.length, buffer -> buffer.asDoubleBuffer().put(column));
    }

    ByteBuffer message(int magic) {
        int size = Wire.HEADER_BYTES + Wire.DIRECTORY_BYTES * sections.size();
        for (Section section : sections) {
            size = Math.addExact(size, section.room());
        }
        ByteBuffer message = Buffers.direct(size);
        message.putInt(magic).putInt(Wire.VERSION).putLong(size).putInt(sections.size()).putInt(0);
        fill(message);
        return message.rewind();
    }

    private void fill(ByteBuffer message) {
        int offset = Wire.HEADER_BYTES + Wire.DIRECTORY_BYTES * sections.size();
        for (Section section : sections) {
            message.putInt(section.id).putInt(section.elementBytes).putLong(offset).putLong(section.count);
            section.filler.accept(Buffers.little(message.slice(offset, section.room())));
            offset += section.room();
        }
    }

    private void add(int id, int elementBytes, int count, Consumer<ByteBuffer> filler) {
        sections.add(new Section(id, elementBytes, count, filler));
    }
}
