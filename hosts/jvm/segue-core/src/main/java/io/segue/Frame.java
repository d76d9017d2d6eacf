// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.OptionalInt;

/**
 * The buffer in which one native call says how it went. Its layout stands in segue_jni.c, and nowhere else.
 */
final class Frame {
    /** "No row": a handle that stands for none. */
    static final int NONE = -1;

    private static final int STATUS = 0;
    private static final int RULE = 4;
    private static final int ROW = 8;
    private static final int FALLBACK = 12;
    private static final int ELAPSED_NS = 16;
    private static final int VALUE = 24;
    private static final int WORD = 32;
    private static final int FAULTS = 56;
    private static final int ASIDE = 60;
    private static final int TEXT = 64;
    private static final int PLUGIN = 1536;
    private static final int SIZE = 2048;
    private static final int E_SPACE = -6;

    private final ByteBuffer buffer = Buffers.direct(SIZE);

    ByteBuffer buffer() {
        return buffer;
    }

    /** The number that the call answers with: a handle, or a count of bytes. */
    long value() {
        return buffer.getLong(VALUE);
    }

    int intValue() {
        return Math.toIntExact(value());
    }

    /** How the call itself went; in a report, how the assignor's own answer was. */
    int status() {
        return buffer.getInt(STATUS);
    }

    /** Throws what the status stands for, unless it is success. */
    void check(int status) {
        if (status != 0) {
            throw new SegueException(word(), buffer.getInt(RULE), buffer.getInt(ROW), text());
        }
    }

    /** Like {@link #check}, but a buffer that was too small is an answer: true when the call has to be repeated. */
    boolean checkSpace(int status) {
        if (status == E_SPACE) {
            return true;
        }
        check(status);
        return false;
    }

    Report report() {
        int row = buffer.getInt(ROW);
        return new Report(
                buffer.getInt(FALLBACK) != 0,
                word(),
                buffer.getInt(RULE),
                row == NONE ? OptionalInt.empty() : OptionalInt.of(row),
                text(),
                Duration.ofNanos(buffer.getLong(ELAPSED_NS)),
                Buffers.readText(buffer, PLUGIN, SIZE),
                Integer.toUnsignedLong(buffer.getInt(FAULTS)),
                buffer.getInt(ASIDE) != 0);
    }

    private String word() {
        return Buffers.readText(buffer, WORD, FAULTS);
    }

    private String text() {
        return Buffers.readText(buffer, TEXT, PLUGIN);
    }

    @Override
    public String toString() {
        return "status " + buffer.getInt(STATUS) + " " + word() + ": " + text();
    }
}
