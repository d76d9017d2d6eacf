// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;

class WorkloadTest {
    private final Workload workload = new Workload(8, 100, 64, 1);

    @Test
    void shouldGiveEveryRunTheSameStream() {
        Workload again = new Workload(8, 100, 64, 1);

        assertThat(again.keyAt(3, 77)).isEqualTo(workload.keyAt(3, 77));
        assertThat(again.payload(3, 5, 77)).isEqualTo(workload.payload(3, 5, 77));
    }

    @Test
    void shouldUpdateManyKeys() {
        long keys = LongStream.range(0, 1000).map(i -> workload.keyAt(0, i)).distinct().count();

        assertThat(keys).isGreaterThan(80);
    }

    @Test
    void shouldFindThePartitionAndTheIndexInTheKey() {
        String key = workload.key(7, 99);

        assertThat(Workload.partitionOf(key)).isEqualTo(7);
        assertThat(Workload.indexOf(key)).isEqualTo(99);
    }

    @Test
    void shouldCarryTheSequenceInThePayload() {
        assertThat(Workload.sequenceOf(workload.payload(0, 0, 12_345))).isEqualTo(12_345);
    }

    @Test
    void shouldReadAnEmissionAsItWasWritten() {
        Emission emission = new Emission(7, 1L << 40, 3, "pod-2");

        assertThat(Emission.decode(emission.encode())).isEqualTo(emission);
    }
}
