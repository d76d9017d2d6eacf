// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/**
 * The columns of a wire message; an absent one is empty. What the directory says is believed only as far as it lies in the
 * message, so that no column is larger than that.
 */
final class WireReader {
    private final ByteBuffer message;
    private final Map<Integer, Section> sections = new HashMap<>();

    private record Section(int elementBytes, int offset, int count) {}

    WireReader(ByteBuffer message, int magic) {
        this.message = Buffers.little(message.duplicate().clear());
        int count = sections(magic);
        long end = Wire.HEADER_BYTES + (long) count * Wire.DIRECTORY_BYTES;
        for (int index = 0; index < count; index++) {
            end = take(Wire.HEADER_BYTES + index * Wire.DIRECTORY_BYTES, end);
        }
    }

    /** How many there are, all of whose rows lie in the message. */
    private int sections(int magic) {
        if (message.capacity() < Wire.HEADER_BYTES || message.getInt(0) != magic || message.getInt(4) != Wire.VERSION) {
            throw malformed("it is none of the expected kind and version");
        }
        long count = Integer.toUnsignedLong(message.getInt(16));
        long bytes = message.getLong(8);
        boolean whole = bytes >= Wire.HEADER_BYTES && bytes <= message.capacity();
        if (!whole || count > (bytes - Wire.HEADER_BYTES) / Wire.DIRECTORY_BYTES) {
            throw malformed("it is cut");
        }
        return (int) count;
    }

    /** A section begins behind the one before it; returns where it ends. */
    private long take(int row, long from) {
        int id = message.getInt(row);
        int elementBytes = message.getInt(row + 4);
        long offset = message.getLong(row + 8);
        long count = message.getLong(row + 16);
        boolean inside = elementBytes > 0 && offset >= from && offset <= message.capacity() && count >= 0
                && count <= (message.capacity() - offset) / elementBytes;
        if (!inside || offset % Wire.ALIGNMENT != 0) {
            throw malformed("section " + id + " overlaps, is not aligned, or ends behind it");
        }
        if (sections.put(id, new Section(elementBytes, (int) offset, (int) count)) != null) {
            throw malformed("section " + id + " is there twice");
        }
        return offset + count * elementBytes;
    }

    private static SegueException malformed(String why) {
        return new SegueException("bad-wire", "that is no wire message: " + why);
    }

    int[] ints(int id) {
        Section section = section(id, Integer.BYTES);
        int[] column = new int[section.count];
        bytes(section).asIntBuffer().get(column);
        return column;
    }

    /** Where the rows of each begin, and where the last one's end: it never falls, so that no row belongs to two. */
    int[] starts(int id) {
        int[] column = ints(id);
        for (int at = 1; at < column.length; at++) {
            if (column[at] < column[at - 1]) {
                throw malformed("rows in section " + id + " overlap");
            }
        }
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
            throw malformed("section " + id + " has elements of " + section.elementBytes + " bytes, not " + elementBytes);
        }
        return section;
    }

    private ByteBuffer bytes(Section section) {
        return Buffers.little(message.slice(section.offset, section.elementBytes * section.count));
    }
}
