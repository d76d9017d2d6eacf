// SPDX-License-Identifier: Apache-2.0
package io.segue;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** Wire messages out of whatever bytes: what Java reads it has written, or libsegue; else it refuses them as malformed. */
class WirePropertyTest {
    private static final int TRIES = 500;
    private static final int DIRECTORY_ROWS = 32;
    private static final int MOST_WORDS = 4_096;
    /** In the head of a frame. */
    private static final int PLAN_SIZE = 56;
    private static final Report NO_REPORT = new Frame().report();
    private static Segue segue;

    /** A number in place of what stands there; {@code at} is cut to the message. */
    private record Change(int at, long value, boolean wide) {
        void make(ByteBuffer message) {
            int place = at % (message.capacity() - Long.BYTES + 1) / Integer.BYTES * Integer.BYTES;
            if (wide) {
                message.putLong(place, value);
            } else {
                message.putInt(place, (int) value);
            }
        }
    }

    @BeforeContainer
    static void open() {
        segue = Segue.open();
    }

    @AfterContainer
    static void close() {
        segue.close();
    }

    @Property(tries = TRIES, seed = "1")
    void shouldReadAGroupAsItWasWritten(@ForAll long seed) {
        ByteBuffer message = groupMessage(group(seed));
        assertThat(groupMessage(GroupDecoder.decode(message))).isEqualTo(message);
    }

    @Property(tries = TRIES, seed = "2", edgeCases = EdgeCasesMode.NONE)
    void shouldReadNoMoreThanAGroupsMessageHas(
            @ForAll long seed, @ForAll @Size(max = 3) List<@From("changes") Change> changes, @ForAll int cut) {
        ByteBuffer message = cut(changed(groupMessage(group(seed)), changes), cut);
        assertIsReadOrMalformed(() -> GroupDecoder.decode(message));
    }

    @Property(tries = TRIES, seed = "3", edgeCases = EdgeCasesMode.NONE)
    void shouldReadNoMoreThanAPlansMessageHas(
            @ForAll long seed, @ForAll @Size(max = 3) List<@From("changes") Change> changes, @ForAll int cut) {
        Group group = group(seed);
        ByteBuffer message = cut(changed(planMessage(group), changes), cut);
        assertIsReadOrMalformed(() -> decode(group, message));
    }

    @Property(tries = TRIES, seed = "4")
    void shouldRefuseBytesThatAreNoMessage(@ForAll byte[] bytes, @ForAll boolean asPlan) {
        ByteBuffer message = Buffers.direct(Integer.BYTES + bytes.length);
        message.putInt(asPlan ? Wire.PLAN_MAGIC : Wire.GROUP_MAGIC).put(bytes);
        assertIsReadOrMalformed(() -> GroupDecoder.decode(message));
        assertIsReadOrMalformed(() -> decode(group(0), message));
    }

    @Property(tries = TRIES, seed = "5")
    void shouldReadTextsAsTheyWereWritten(@ForAll List<@From("texts") String> texts) {
        ByteBuffer written = Buffers.texts(texts);
        assertThat(Buffers.readTexts(written, written.capacity() - 1)).isEqualTo(texts);
    }

    /** Half of them in what says where everything is; and numbers at which arithmetic turns over. */
    @Provide
    Arbitrary<Change> changes() {
        Arbitrary<Integer> at = Arbitraries.oneOf(
                Arbitraries.integers().between(0, Wire.HEADER_BYTES + DIRECTORY_ROWS * Wire.DIRECTORY_BYTES),
                Arbitraries.integers().between(0, Integer.MAX_VALUE));
        Arbitrary<Long> value = Arbitraries.oneOf(
                Arbitraries.of(0L, 1L, 2L, 8L, 24L, 256L, -1L, -8L, 1L << 20, 1L << 29, 1L << 30, 1L << 31, 1L << 32,
                        (long) Integer.MAX_VALUE, Long.MAX_VALUE, Long.MIN_VALUE, Long.MAX_VALUE / 8 + 1),
                Arbitraries.longs());
        return Combinators.combine(at, value, Arbitraries.of(true, false)).as(Change::new);
    }

    @Provide
    Arbitrary<String> texts() {
        return Arbitraries.strings().withCharRange('\1', '\ud7ff').ofMaxLength(30);
    }

    private static void assertIsReadOrMalformed(Runnable reading) {
        try {
            reading.run();
        } catch (SegueException refusal) {
            assertThat(refusal.status()).isEqualTo("bad-wire");
            assertThat(refusal.getMessage()).contains("wire message: ").doesNotContain("\n");
        }
    }

    private static Group group(long seed) {
        return new RandomGroups(new Random(seed)).next();
    }

    private static ByteBuffer groupMessage(Group group) {
        return GroupEncoder.encode(new CanonicalGroup(group), new long[0]);
    }

    /** The last of the three parts of a frame behind its head: the assignor's name, the group, the plan. */
    private static ByteBuffer planMessage(Group group) {
        byte[] frame = segue.assignRecorded("balanced", group, Configuration.defaults()).frame();
        long size = Buffers.little(ByteBuffer.wrap(frame)).getLong(PLAN_SIZE);
        byte[] plan = Arrays.copyOfRange(frame, frame.length - (int) size, frame.length);
        return Buffers.direct(plan.length).put(plan).rewind();
    }

    private static Plan decode(Group group, ByteBuffer plan) {
        return PlanDecoder.decode(
                "balanced", new CanonicalGroup(group), plan, Collections.nCopies(MOST_WORDS, "word"), NO_REPORT);
    }

    private static ByteBuffer changed(ByteBuffer message, List<Change> changes) {
        changes.forEach(change -> change.make(message));
        return message;
    }

    /** Every fourth one. */
    private static ByteBuffer cut(ByteBuffer message, int cut) {
        return cut % 4 == 0 ? Buffers.little(message.slice(0, Math.floorMod(cut, message.capacity()))) : message;
    }
}
