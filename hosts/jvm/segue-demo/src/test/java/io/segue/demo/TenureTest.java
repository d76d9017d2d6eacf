// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TenureTest {
    private final long start = Millis.now();
    private final Tenure tenure = new Tenure(3);

    @Test
    void shouldTimeAHandOverFromTheLastRecordToTheFirst() {
        tenure.processed("pod-1", start + 100);

        assertThat(tenure.processed("pod-2", start + 450)).contains(new HandOver(3, "pod-1", "pod-2", 350));
    }

    @Test
    void shouldNotCallTheFirstOwnerAHandOver() {
        assertThat(tenure.processed("pod-1", start + 100)).isEmpty();
    }

    @Test
    void shouldCountASilenceThatHasNotEnded() {
        tenure.processed("pod-1", start + 100);
        tenure.restart();

        assertThat(tenure.longestSilence(start + 900)).isEqualTo(800);
    }

    @Test
    void shouldForgetEarlierSilencesAtARestart() {
        tenure.processed("pod-1", start + 5000);
        tenure.restart();
        tenure.processed("pod-1", start + 5010);

        assertThat(tenure.longestSilence(start + 5010)).isEqualTo(10);
    }

    @Test
    void shouldNoticeTwoOwnersAtOnce() {
        tenure.opened(start);
        tenure.opened(start + 1);

        assertThat(tenure.doubled()).isTrue();
    }

    @Test
    void shouldTimeHowLongThereIsNoOwner() {
        tenure.opened(start);
        tenure.closed(start + 10);
        tenure.opened(start + 60);

        assertThat(tenure.longestVacancy(start + 100)).isEqualTo(50);
        assertThat(tenure.doubled()).isFalse();
    }
}
