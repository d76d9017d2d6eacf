// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

/**
 * One store's way from where its copy began to the changelog's end.
 *
 * @param learning true for a copy beside an owner at work, false for an owner that restores
 */
record StoreCopy(int partition, boolean learning, long start, long position, long end) {
    StoreCopy at(long newPosition, long newEnd) {
        return new StoreCopy(partition, learning, start, newPosition, Math.max(newEnd, newPosition));
    }

    StoreCopy finished() {
        return new StoreCopy(partition, learning, start, position, position);
    }

    long loaded() {
        return position - start;
    }

    long total() {
        return end - start;
    }

    long lag() {
        return end - position;
    }
}
