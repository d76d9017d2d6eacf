// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

/** Milliseconds of a clock that never jumps; only differences mean something. */
final class Millis {
    private Millis() {
    }

    static long now() {
        return System.nanoTime() / 1_000_000;
    }
}
