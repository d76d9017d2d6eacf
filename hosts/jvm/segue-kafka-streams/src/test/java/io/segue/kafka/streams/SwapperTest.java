// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** An instance that hears of a swap, with a heartbeat of a second. */
class SwapperTest {
    private static final TopicPartition PLACE = new TopicPartition("orders", 0);
    private static final long DAY_MS = 86_400_000;

    private final List<String> written = new ArrayList<>();
    private final SideEntry<Swap> wish = new SideEntry<>(
            new SideGroups(admin(), "app"), "app.segue.assignor",
            new SideEntry.Format<>(Swap::parse, Swap::json, Swap::sinceMs), List::of);
    private final Leadership leadership = new Leadership();
    private final Swapper swapper =
            new Swapper(wish, "learner", List.of("balanced", "learner"), leadership, 1000);

    @Test
    void shouldAskAtOnceWhereItLedLast() {
        lead("learner");
        assertThat(swapper.next(0)).isEmpty();
        wish("balanced", 5);

        assertThat(swapper.next(1)).hasValueSatisfying(why -> assertThat(why).contains("balanced"));
        assertThat(swapper.choice().assignor()).isEqualTo("balanced");
    }

    @Test
    void shouldLeaveTheAskingToTheLeader() {
        assertThat(swapper.next(0)).isEmpty();
        wish("balanced", 5);

        assertThat(swapper.next(1)).isEmpty();
        assertThat(swapper.choice().assignor()).isEqualTo("balanced");
    }

    @Test
    void shouldAskAgainMoreAndMoreSeldomUntilTheLeaderHasHeededIt() {
        lead("learner");
        swapper.next(0);
        wish("balanced", 5);
        assertThat(swapper.next(0)).isPresent();

        assertThat(swapper.next(1_999)).isEmpty();
        assertThat(swapper.next(2_000)).isPresent();
        assertThat(swapper.next(5_999)).isEmpty();
        assertThat(swapper.next(6_000)).isPresent();
        lead("balanced");
        assertThat(swapper.next(60_000)).isEmpty();
    }

    @Test
    void shouldAskWhenTheWishIsTakenBack() {
        lead("balanced");
        wish("balanced", 5);
        assertThat(swapper.next(0)).isEmpty();
        wish.see(List.of());

        assertThat(swapper.next(1)).hasValueSatisfying(why -> assertThat(why).contains("learner"));
    }

    @Test
    void shouldAskForNothingAtItsStartWhenAllIsAsItIsWishedFor() {
        lead("balanced");
        wish("balanced", 5);

        assertThat(swapper.next(0)).isEmpty();
        assertThat(swapper.next(100_000)).isEmpty();
    }

    @Test
    void shouldGoOnWithItsOwnWhereItDoesNotHaveTheOther() {
        lead("learner");
        swapper.next(0);
        wish("newest", 5);
        swapper.next(1);

        assertThat(swapper.choice().assignor()).isEqualTo("learner");
        assertThat(swapper.choice().refused()).contains("newest");
        assertThat(swapper.next(100_000)).isEmpty();
    }

    @Test
    void shouldTakeTheNewestOfTwoWishes() {
        wish.see(List.of(entry("balanced", 5), new SideGroups.Entry(new TopicPartition("other", 0),
                new Swap("learner", 9, "").json())));
        swapper.next(0);

        assertThat(swapper.choice().assignor()).isEqualTo("learner");
    }

    @Test
    void shouldWriteTheSameOnceADayWhereItLed() throws Exception {
        wish("balanced", 5);
        swapper.next(0);
        swapper.renew(DAY_MS);
        assertThat(written).as("not the leader").isEmpty();

        lead("balanced");
        swapper.renew(DAY_MS - 1);
        assertThat(written).as("too early").isEmpty();
        assertThatThrownBy(() -> swapper.renew(DAY_MS)).hasMessage("written");
        swapper.renew(DAY_MS + 1);
        assertThat(written).singleElement().asString().contains("app.segue.assignor", "\"since_ms\":5");
        assertThatThrownBy(() -> swapper.renew(2 * DAY_MS)).hasMessage("written");
    }

    private void lead(String assignor) {
        leadership.led(7, Leds.round(assignor));
    }

    private void wish(String name, long since) {
        wish.see(List.of(entry(name, since)));
    }

    private static SideGroups.Entry entry(String name, long since) {
        return new SideGroups.Entry(PLACE, new Swap(name, since, "a test").json());
    }

    /** Notes what is to be written; its results cannot be made outside of Kafka's own packages. */
    private Admin admin() {
        return (Admin) Proxy.newProxyInstance(
                Admin.class.getClassLoader(), new Class<?>[] {Admin.class}, (proxy, method, arguments) -> {
                    written.add(method.getName() + " " + arguments[0] + " " + arguments[1]);
                    throw new IllegalStateException("written");
                });
    }
}
