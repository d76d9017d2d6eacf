// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import static io.segue.kafka.streams.DrainPolicy.Step.ASK;
import static io.segue.kafka.streams.DrainPolicy.Step.LEAVE;
import static io.segue.kafka.streams.DrainPolicy.Step.WAIT;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import org.junit.jupiter.api.Test;

class DrainPolicyTest {
    private static final long HEARTBEAT_MS = 3_000;
    private static final long SECOND = 1_000;

    private final DrainPolicy policy = new DrainPolicy(HEARTBEAT_MS);
    private Optional<Mark> mark = Optional.empty();
    private boolean running = true;
    private int active = 2;
    private long rounds = 1;
    private long lastRoundAt;
    private long now = 100 * SECOND;

    @Test
    void shouldDoNothingUnmarked() {
        assertThat(steps(600)).containsOnly(WAIT);
    }

    @Test
    void shouldAskAtOnceWhenMarked() {
        mark(OptionalLong.empty());

        assertThat(step()).isEqualTo(ASK);
        assertThat(step()).isEqualTo(WAIT);
    }

    @Test
    void shouldAskAgainLessAndLessOftenWhileTasksAreLeft() {
        mark(OptionalLong.empty());

        assertThat(steps(600).stream().filter(ASK::equals).count()).isBetween(6L, 12L);
    }

    @Test
    void shouldNotAskIntoAHandOverThatIsUnderWay() {
        mark(OptionalLong.empty());
        step();
        now += 2 * HEARTBEAT_MS - SECOND;
        round();
        now += 2 * SECOND;

        assertThat(step()).isEqualTo(WAIT);
    }

    @Test
    void shouldLeaveWhenARoundHasLeftItEmpty() {
        mark(OptionalLong.empty());
        step();
        active = 0;
        assertThat(step()).isEqualTo(WAIT);
        round();
        assertThat(step()).isEqualTo(WAIT);
        now += SECOND;

        assertThat(step()).isEqualTo(LEAVE);
    }

    @Test
    void shouldNotLeaveInTheMiddleOfARound() {
        mark(OptionalLong.empty());
        step();
        active = 0;
        round();
        now += SECOND;
        running = false;

        assertThat(step()).isEqualTo(WAIT);
    }

    @Test
    void shouldStayWhenToldTo() {
        mark = Optional.of(new Mark("id", 0, OptionalLong.empty(), true, "me"));
        step();
        active = 0;
        round();

        assertThat(steps(600)).containsOnly(WAIT);
    }

    @Test
    void shouldAskAtTheDeadline() {
        mark(OptionalLong.of(now + 60 * SECOND));
        steps(59);
        round();
        assertThat(step()).isEqualTo(WAIT);
        now += SECOND;

        assertThat(step()).isEqualTo(ASK);
    }

    @Test
    void shouldAskAgainSoonWhenTheDeadlinesRequestWasLost() {
        mark(OptionalLong.of(now + 60 * SECOND));
        steps(62);

        assertThat(steps(1 + 2 * (int) HEARTBEAT_MS / 1000)).contains(ASK);
    }

    @Test
    void shouldAskWhenTheDeadlineChanges() {
        mark(OptionalLong.of(now + 60 * SECOND));
        steps(3);
        mark(OptionalLong.of(now + 10 * SECOND));

        assertThat(step()).isEqualTo(ASK);
    }

    @Test
    void shouldAskWhenCancelledUntilARoundHasFollowed() {
        mark(OptionalLong.empty());
        step();
        mark = Optional.empty();
        assertThat(step()).isEqualTo(ASK);
        assertThat(steps(1 + 2 * (int) HEARTBEAT_MS / 1000)).contains(ASK);
        round();

        assertThat(steps(600)).containsOnly(WAIT);
    }

    private void mark(OptionalLong deadline) {
        mark = Optional.of(new Mark("id", 0, deadline, false, "me"));
    }

    private void round() {
        rounds++;
        lastRoundAt = now;
    }

    private DrainPolicy.Step step() {
        return policy.next(
                new DrainPolicy.Seen(mark, active, running, new Rounds.Seen(rounds, lastRoundAt)), now, now);
    }

    /** One look a second. */
    private List<DrainPolicy.Step> steps(int seconds) {
        List<DrainPolicy.Step> steps = new ArrayList<>();
        for (int i = 0; i < seconds; i++) {
            steps.add(step());
            now += SECOND;
        }
        return steps;
    }
}
