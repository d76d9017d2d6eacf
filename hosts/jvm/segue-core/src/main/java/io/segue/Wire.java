// SPDX-License-Identifier: Apache-2.0
package io.segue;

/** Numbers of the wire format that both directions need. */
final class Wire {
    static final int GROUP_MAGIC = 0x50524753;
    static final int PLAN_MAGIC = 0x4e4c5053;
    static final int VERSION = 1;
    static final int HEADER_BYTES = 24;
    static final int DIRECTORY_BYTES = 24;
    static final int ALIGNMENT = 8;
    static final int SCALARS = 256;
    static final int CONFIG = 257;
    /** In place of a plan: why there is none. */
    static final int FAULT = 65536;
    /** A handle that stands for none. */
    static final int NONE = -1;

    static final long LAG_UNKNOWN = -1;
    static final long BYTES_UNKNOWN = -1;
    static final long TIME_NONE = Long.MIN_VALUE;

    private Wire() {}

    static int align(int size) {
        return Math.addExact(size, ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
}
