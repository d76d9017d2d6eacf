// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Direct little-endian buffers that start at a multiple of 8, as the wire format wants them. */
final class Buffers {
    private static final int ALIGNMENT = 8;

    private Buffers() {}

    static ByteBuffer direct(int size) {
        ByteBuffer slack = ByteBuffer.allocateDirect(size + ALIGNMENT).alignedSlice(ALIGNMENT);
        return little(slack.slice(0, size));
    }

    static ByteBuffer little(ByteBuffer buffer) {
        return buffer.order(ByteOrder.LITTLE_ENDIAN);
    }

    /** The texts one after the other, each with a NUL behind it, and one more NUL at the end. */
    static ByteBuffer texts(List<String> texts) {
        List<byte[]> encoded = texts.stream().map(text -> text.getBytes(StandardCharsets.UTF_8)).toList();
        ByteBuffer buffer = direct(encoded.stream().mapToInt(bytes -> bytes.length + 1).sum() + 1);
        encoded.forEach(bytes -> buffer.put(bytes).put((byte) 0));
        buffer.put((byte) 0);
        return buffer.rewind();
    }

    static ByteBuffer text(String text) {
        return texts(List.of(text));
    }

    /** The NUL-terminated texts in the first {@code size} bytes. */
    static List<String> readTexts(ByteBuffer buffer, int size) {
        List<String> texts = new ArrayList<>();
        for (int start = 0; start < size; ) {
            int end = end(buffer, start, size);
            texts.add(decode(buffer, start, end));
            start = end + 1;
        }
        return texts;
    }

    /** The NUL-terminated text at {@code start}, at the latest ended by {@code limit}. */
    static String readText(ByteBuffer buffer, int start, int limit) {
        return decode(buffer, start, end(buffer, start, limit));
    }

    private static int end(ByteBuffer buffer, int start, int limit) {
        int end = start;
        while (end < limit && buffer.get(end) != 0) {
            end++;
        }
        return end;
    }

    private static String decode(ByteBuffer buffer, int start, int end) {
        byte[] bytes = new byte[end - start];
        buffer.get(start, bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
