// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Native calls with their buffers: sizes what they need, turns a status into an exception. */
final class NativeCall {
    private static final int FIRST_ROOM = 4096;
    private static final int MOST_WORDS = 256;

    private NativeCall() {}

    /** A call that writes texts, and says how many bytes it wrote or needs. */
    @FunctionalInterface
    interface TextCall {
        int run(ByteBuffer out, ByteBuffer frame);
    }

    static List<String> texts(TextCall call) {
        return texts(call, FIRST_ROOM);
    }

    private static List<String> texts(TextCall call, int room) {
        Frame frame = new Frame();
        ByteBuffer out = Buffers.direct(room);
        if (frame.checkSpace(call.run(out, frame.buffer()))) {
            return texts(call, frame.intValue());
        }
        return Buffers.readTexts(out, frame.intValue());
    }

    /** The words of SEGUE_WIRE_CONFIG for a configuration. */
    static long[] configure(Configuration configuration) {
        List<String> pairs = new ArrayList<>();
        configuration.values().forEach((key, value) -> {
            pairs.add(key);
            pairs.add(value);
        });
        Frame frame = new Frame();
        ByteBuffer words = Buffers.direct(MOST_WORDS * Long.BYTES);
        frame.check(Natives.configure(Buffers.texts(pairs), words, frame.buffer()));
        long[] copy = new long[frame.intValue()];
        words.asLongBuffer().get(copy);
        return copy;
    }

    static Metrics metrics(long host) {
        Frame frame = new Frame();
        ByteBuffer words = Buffers.direct(Metrics.WORDS * Long.BYTES);
        frame.check(Natives.metrics(host, words, frame.buffer()));
        long[] copy = new long[Metrics.WORDS];
        words.asLongBuffer().get(copy);
        return Metrics.of(copy);
    }

    static Recorded assign(long host, String assignor, CanonicalGroup rows, ByteBuffer group) {
        ByteBuffer room = Buffers.direct(planRoom(group));
        Frame frame = new Frame();
        Instant at = Instant.now();
        frame.check(Natives.assign(host, Buffers.text(assignor), true, group, room, frame.buffer()));
        ByteBuffer plan = Buffers.little(room.slice(0, frame.intValue()));
        List<String> words = texts((out, said) -> Natives.explain(group, plan, out, said));
        return new Recorded(
                at, PlanDecoder.decode(assignor, rows, plan, words, frame.report()), frame.status(), group, plan);
    }

    private static int planRoom(ByteBuffer group) {
        long room = Natives.planRoom(group, true);
        if (room <= 0 || room > Integer.MAX_VALUE - 64) {
            throw new SegueException("bad-wire", room <= 0
                    ? "the group could not be read back from its own wire form"
                    : "the group is too large: its plan may need " + room + " bytes, and a buffer has 2 GiB");
        }
        return (int) room;
    }
}
