// SPDX-License-Identifier: Apache-2.0
package io.segue.example;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalLong;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.segue.Configuration;
import io.segue.Group;
import io.segue.Member;
import io.segue.Plan;
import io.segue.Segue;

/** The example of an assignor, registered as an application does. */
class NightlyTest {
    private static final long HOUR = 3_600_000;
    private static final long MIDNIGHT = 20_000 * 24 * HOUR;

    @ParameterizedTest
    @CsvSource({"3, 1, 3", "0, 0, 1", "12, 0, 25"})
    void shouldBeginToLearnAtNightAlone(long hour, int learners, long opens) {
        Group group = Group.builder()
                .nowMs(MIDNIGHT + hour * HOUR)
                .subtopology("0", 2)
                .member(Member.builder("S1").active("0_0", "0_1").build())
                .member(Member.builder("S2").build())
                .build();
        try (Segue segue = Segue.open()) {
            segue.register("nightly", new Nightly());
            Plan plan = segue.assign("nightly", group, Configuration.defaults());
            assertThat(plan.report().fallback()).as(plan.report().text()).isFalse();
            assertThat(plan.stats().learners()).isEqualTo(learners);
            long begins = MIDNIGHT + opens * HOUR + (learners > 0 ? HOUR / 6 : 0);
            assertThat(plan.followup().atMs()).isEqualTo(OptionalLong.of(begins));
        }
    }
}
