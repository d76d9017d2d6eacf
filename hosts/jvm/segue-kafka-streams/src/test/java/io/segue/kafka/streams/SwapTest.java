// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.Test;

class SwapTest {
    private static final List<String> OFFERED = List.of("balanced", "learner");

    @Test
    void shouldReplaceWhatHasTheGreatestTimeThereIs() {
        Swap last = new Swap("learner", Documents.GREATEST, "");
        Swap after = Swap.after(Optional.of(last), "balanced", "me");

        assertThat(Swap.parse(last.json())).contains(last);
        assertThat(Swap.parse(after.json())).contains(after);
        assertThat(Swap.parse(new Swap("learner", Documents.GREATEST + 1, "").json())).isEmpty();
    }

    @Test
    void shouldReadWhatItWrites() {
        Swap swap = new Swap("balanced", 5, "segue swap");

        assertThat(swap.json()).isEqualTo(
                "{\"v\":1,\"kind\":\"assignor\",\"name\":\"balanced\",\"since_ms\":5,\"by\":\"segue swap\"}");
        assertThat(Swap.parse(swap.json())).contains(swap);
    }

    @Test
    void shouldBeNewerThanTheOneBeforeWhateverTheClocksSay() {
        Swap ahead = new Swap("learner", Documents.GREATEST / 2, "a clock that is ahead");

        assertThat(Swap.after(Optional.of(ahead), "balanced", "").sinceMs()).isEqualTo(ahead.sinceMs() + 1);
        assertThat(Swap.after(Optional.empty(), "balanced", "").sinceMs()).isLessThan(ahead.sinceMs()).isPositive();
    }

    @Test
    void shouldTakeWhatIsNoWishForNone() {
        for (String text : List.of(
                "", "balanced", "[]", "{}", "{\"v\":2,\"kind\":\"assignor\",\"name\":\"a\",\"since_ms\":1}",
                "{\"v\":1,\"kind\":\"leaving\",\"name\":\"a\",\"since_ms\":1}",
                "{\"v\":1,\"kind\":\"assignor\",\"since_ms\":1}", "{\"v\":1,\"kind\":\"assignor\",\"name\":\"a\"}",
                "{\"v\":1,\"kind\":\"assignor\",\"name\":\"a\\nb\",\"since_ms\":1}")) {
            assertThat(Swap.parse(text)).as(text).isEmpty();
        }
    }

    @Test
    void shouldGoByTheWishWhereItIsOffered() {
        Choice choice = Choice.of("learner", OFFERED, Optional.of(new Swap("balanced", 5, "")));

        assertThat(choice).isEqualTo(new Choice("balanced", "learner", Optional.empty()));
        assertThat(choice.swapped()).isTrue();
        assertThat(choice.heedsMarks()).isTrue();
    }

    @Test
    void shouldKeepWhatIsConfiguredWhereTheWishIsNotOffered() {
        Choice choice = Choice.of("learner", OFFERED, Optional.of(new Swap("newest", 5, "")));

        assertThat(choice).isEqualTo(new Choice("learner", "learner", Optional.of("newest")));
        assertThat(choice.swapped()).isFalse();
    }
}
