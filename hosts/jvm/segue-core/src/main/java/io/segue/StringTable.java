// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Texts as handles: the same text has the same one. */
final class StringTable {
    private final Map<String, Integer> handles = new HashMap<>();
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private int[] offsets = new int[64];

    int handle(String text) {
        return handles.computeIfAbsent(text, this::append);
    }

    int[] handles(List<String> texts) {
        return texts.stream().mapToInt(this::handle).toArray();
    }

    int count() {
        return handles.size();
    }

    byte[] bytes() {
        return bytes.toByteArray();
    }

    /** Where each text begins, and behind them where the last one ends. */
    int[] offsets() {
        return Arrays.copyOf(offsets, count() + 1);
    }

    private int append(String text) {
        int handle = handles.size();
        if (handle + 1 == offsets.length) {
            offsets = Arrays.copyOf(offsets, offsets.length * 2);
        }
        bytes.writeBytes(text.getBytes(StandardCharsets.UTF_8));
        offsets[handle + 1] = bytes.size();
        return handle;
    }
}
