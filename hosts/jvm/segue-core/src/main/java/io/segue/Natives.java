// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.nio.ByteBuffer;

/**
 * The native methods: bytes in, bytes and a status out. Every buffer is direct and is used from its first byte to its
 * capacity; {@code frame} is a {@link Frame}. Any thread; assign alone calls back, where the assignor is a Java object.
 * Registered by JNI_OnLoad, so that a library that does not fit fails when it is loaded.
 */
final class Natives {
    private Natives() {}

    /** Value: the new host's handle. An empty text stands for none, 0 faults for the default. */
    static native int open(
            ByteBuffer pluginPath, ByteBuffer recordPath, boolean onlyPath, ByteBuffer isolation, int maxFaults,
            ByteBuffer frame);

    static native void close(long host);

    /** An empty name stands for all assignors. */
    static native int reinstate(long host, ByteBuffer assignor, ByteBuffer frame);

    /** Writes the words of {@link Metrics}, in its order. Value: words. */
    static native int metrics(long host, ByteBuffer counts, ByteBuffer frame);

    /**
     * Writes name, version, summary, plugin's path, traits, plugin's name and plugin's version of each assignor as
     * texts. Value: bytes written or needed.
     */
    static native int assignors(long host, ByteBuffer out, ByteBuffer frame);

    /** {@code texts}: name, version and summary. The upcall is kept until it goes, is replaced, or the host closes. */
    static native int register(long host, ByteBuffer texts, int traits, Upcall upcall, ByteBuffer frame);

    static native int unregister(long host, ByteBuffer name, ByteBuffer frame);

    /** Answers whoever has started this program, with the assignor of that name, until there is nothing more to ask. */
    static native int serve(long host, ByteBuffer name, ByteBuffer frame);

    /** Writes key and value of what is not at its default in a group's message, as texts. Value: bytes written or needed. */
    static native int configured(ByteBuffer group, ByteBuffer out, ByteBuffer frame);

    /** The number of a follow-up's reason, or -1. */
    static native int followupCode(ByteBuffer word);

    /** Key, value, key, value as texts, ended by an empty key. Writes the words of SEGUE_WIRE_CONFIG. Value: words. */
    static native int configure(ByteBuffer pairs, ByteBuffer words, ByteBuffer frame);

    /** Bytes that hold every plan for this group; 0 when the message is malformed. */
    static native long planRoom(ByteBuffer group, boolean decisions);

    /** Value: bytes of the plan, or those that it needs. */
    static native int assign(
            long host, ByteBuffer assignor, boolean decisions, ByteBuffer group, ByteBuffer plan, ByteBuffer frame);

    /**
     * Writes the follow-up's word, then kind, reason and sentence of each decision, as texts. Value: bytes written or
     * needed.
     */
    static native int explain(ByteBuffer group, ByteBuffer plan, ByteBuffer out, ByteBuffer frame);

    /** Writes the version of the library as a text. Value: bytes written or needed. */
    static native int version(ByteBuffer out, ByteBuffer frame);
}
