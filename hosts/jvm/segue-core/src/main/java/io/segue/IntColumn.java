// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.util.Arrays;

/** A column of handles that grows. */
final class IntColumn {
    private int[] values = new int[16];
    private int size;

    void add(int value) {
        if (size == values.length) {
            values = Arrays.copyOf(values, size * 2);
        }
        values[size++] = value;
    }

    int size() {
        return size;
    }

    int[] toArray() {
        return Arrays.copyOf(values, size);
    }
}
