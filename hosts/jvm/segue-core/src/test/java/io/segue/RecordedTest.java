// SPDX-License-Identifier: Apache-2.0
package io.segue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Java makes of a group and its plan, beside what the library writes down of the same. */
class RecordedTest {
    private static final int TIMES_FROM = 16;
    private static final int TIMES_TO = 32;
    private static final int HEAD_SIZE = 64;
    private static final int RUNS = 200;

    @TempDir
    Path folder;

    @Test
    void shouldMakeTheFramesThatTheLibraryWrites() throws IOException {
        long seed = System.nanoTime();
        RandomGroups groups = new RandomGroups(new Random(seed));
        Path record = folder.resolve("plans.rec");
        ByteArrayOutputStream made = new ByteArrayOutputStream();
        byte[] written;
        try (Segue segue = Segue.open("", recording(record))) {
            for (int run = 0; run < RUNS; run++) {
                made.write(segue.assignRecorded("balanced", groups.next(), Configuration.defaults()).frame());
            }
            written = Files.readAllBytes(record);
        }

        assertThat(withoutTimes(made.toByteArray())).as("seed %d", seed).isEqualTo(withoutTimes(written));
    }

    @Test
    void shouldSayThatARecordCannotBeWritten() {
        assertThatThrownBy(() -> Segue.open("", recording(folder.resolve("no/such/folder"))))
                .isInstanceOfSatisfying(SegueException.class, fault -> assertThat(fault.status()).isEqualTo("system"))
                .hasMessageContaining("no/such/folder");
    }

    /** Of every frame; the sizes in its head lead to the next one. */
    private static byte[] withoutTimes(byte[] frames) {
        byte[] copy = frames.clone();
        for (int at = 0; at < copy.length; at += size(copy, at)) {
            Arrays.fill(copy, at + TIMES_FROM, at + TIMES_TO, (byte) 0);
        }
        return copy;
    }

    private static int size(byte[] frames, int at) {
        var head = java.nio.ByteBuffer.wrap(frames, at, HEAD_SIZE).slice().order(java.nio.ByteOrder.LITTLE_ENDIAN);
        return HEAD_SIZE + (head.getInt(44) + 7) / 8 * 8 + (int) (head.getLong(48) + head.getLong(56));
    }

    private static Configuration recording(Path file) {
        return Configuration.defaults().with("segue.record.path", file);
    }
}
