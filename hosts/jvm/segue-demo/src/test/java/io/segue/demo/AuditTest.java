// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

/** The audit has to find what goes wrong, or the demo's promise is worth nothing. */
class AuditTest {
    private static final int RECORDS = 50;
    private static final Workload WORKLOAD = new Workload(1, 5, 16, 42);

    private final List<Emission> outputs = rightOutputs();

    @Test
    void shouldFindNothingInARightOutput() {
        Verdict verdict = examine();

        assertThat(List.of(verdict.lost(), verdict.doubled(), verdict.miscounted())).containsOnly(0L);
        assertThat(verdict.records()).isEqualTo(RECORDS);
    }

    @Test
    void shouldFindALostRecord() {
        outputs.remove(7);

        assertThat(examine().lost()).isOne();
        assertThat(examine().good()).isFalse();
    }

    @Test
    void shouldFindARecordThatWasProcessedTwice() {
        outputs.add(outputs.get(7));

        assertThat(examine().doubled()).isOne();
        assertThat(examine().good()).isFalse();
    }

    @Test
    void shouldFindACountThatForgotAnUpdate() {
        Emission right = outputs.get(7);
        outputs.set(7, new Emission(0, right.sequence(), right.count() - 1, right.instance()));

        assertThat(examine().miscounted()).isOne();
        assertThat(examine().good()).isFalse();
    }

    @Test
    void shouldFindARecordNobodySent() {
        outputs.add(new Emission(0, RECORDS, 1, "pod-1"));

        assertThat(examine().miscounted()).isOne();
    }

    @Test
    void shouldFindThatStateIsMissing() {
        assertThat(examine().wrongKeys()).isEqualTo(WORKLOAD.keysPerPartition());
    }

    @Test
    void shouldNotCallAnEmptyRunGood() {
        assertThat(new Verdict(0, 0, 0, 0, 0, 0, false).good()).isFalse();
    }

    @Test
    void shouldNotCallARunGoodWhereATaskWasActiveTwice() {
        assertThat(new Verdict(10, 0, 0, 0, 10, 0, true).good()).isFalse();
        assertThat(new Verdict(10, 0, 0, 0, 10, 0, false).good()).isTrue();
    }

    private Verdict examine() {
        return new Audit(WORKLOAD, RECORDS).examine(partition -> outputs, List.of(), false);
    }

    private static List<Emission> rightOutputs() {
        long[] counts = new long[WORKLOAD.keysPerPartition()];
        List<Emission> outputs = new ArrayList<>();
        for (int sequence = 0; sequence < RECORDS; sequence++) {
            long seenBefore = ++counts[WORKLOAD.keyAt(0, sequence)];
            outputs.add(new Emission(0, sequence, seenBefore + 1, "pod-1"));
        }
        return outputs;
    }
}
