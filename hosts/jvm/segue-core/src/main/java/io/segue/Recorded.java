// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/**
 * A plan with what was asked for it, to be asked again elsewhere. It holds both messages outside of the heap as long as
 * it lives. Immutable, so any thread may use it.
 *
 * @since 1.0
 */
public final class Recorded {
    private static final byte[] MAGIC = "SEGUEREC".getBytes(StandardCharsets.US_ASCII);
    private static final int VERSION = 1;
    private static final int HEAD_SIZE = 64;
    private static final int PADDING = 8;

    private final Instant at;
    private final Plan plan;
    private final int status;
    private final ByteBuffer group;
    private final ByteBuffer message;

    Recorded(Instant at, Plan plan, int status, ByteBuffer group, ByteBuffer message) {
        this.at = at;
        this.plan = plan;
        this.status = status;
        this.group = group;
        this.message = message;
    }

    /** What was answered. */
    public Plan plan() {
        return plan;
    }

    /**
     * Both as one frame of a record, as {@code segue replay} reads it: group, configuration and plan, with names but
     * without anybody's data. The layout is that of {@code segue/record.h}. Made anew at each call.
     */
    public byte[] frame() {
        byte[] name = plan.assignor().getBytes(StandardCharsets.UTF_8);
        ByteBuffer frame = Buffers.little(ByteBuffer.allocate(Math.toIntExact((long) HEAD_SIZE
                + padded(name.length) + padded(group.capacity()) + padded(message.capacity()))));
        frame.put(MAGIC).putInt(VERSION).putInt(HEAD_SIZE)
                .putLong(at.toEpochMilli()).putLong(plan.report().elapsed().toNanos())
                .putInt(status).putInt(plan.report().rule()).putInt(plan.report().fallback() ? 1 : 0)
                .putInt(name.length).putLong(padded(group.capacity())).putLong(padded(message.capacity()));
        pad(frame.put(name));
        pad(frame.put(whole(group)));
        pad(frame.put(whole(message)));
        return frame.array();
    }

    private static ByteBuffer whole(ByteBuffer buffer) {
        return buffer.duplicate().clear();
    }

    private static long padded(int size) {
        return (size + PADDING - 1L) / PADDING * PADDING;
    }

    private static void pad(ByteBuffer frame) {
        frame.position((int) padded(frame.position()));
    }
}
