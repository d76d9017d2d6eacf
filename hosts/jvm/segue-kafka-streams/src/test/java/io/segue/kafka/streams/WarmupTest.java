// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WarmupTest {
    @Test
    void shouldPlanAScaleOutThatIsUnderWay() {
        Outcome outcome = Outcome.planned(new WarmupApplication(), AssignorSettings.DEFAULTS, News.NONE);
        assertThat(outcome.stats().learners()).isEqualTo(1);
        assertThat(outcome.fault()).isEmpty();
    }
}
