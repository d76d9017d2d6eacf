// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Two stream threads of one instance hear of the end of a round in any order. */
class LeadershipTest {
    private final Leadership leadership = new Leadership();

    @Test
    void shouldKnowThatItLedWhicheverThreadIsFirst() {
        leadership.followed(5);
        leadership.led(5, Leds.round("learner"));
        assertThat(leadership.last()).contains(Leds.by("learner"));

        leadership.led(6, Leds.round("balanced"));
        leadership.followed(6);
        assertThat(leadership.last()).contains(Leds.by("balanced"));
    }

    @Test
    void shouldForgetItWhenSomebodyElseHasLed() {
        leadership.led(5, Leds.round("learner"));
        leadership.followed(6);

        assertThat(leadership.last()).isEmpty();
    }

    /** A group that was empty for long begins anew with its generations. */
    @Test
    void shouldForgetItAtALowerGenerationToo() {
        leadership.led(500, Leds.round("learner"));
        leadership.followed(1);

        assertThat(leadership.last()).isEmpty();
    }
}
