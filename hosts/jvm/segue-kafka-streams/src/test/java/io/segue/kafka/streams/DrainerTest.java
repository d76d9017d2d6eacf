// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** An instance that is told to stay when it is empty, and what it says of itself meanwhile. */
class DrainerTest {
    private static final String ID = "0b7c6a0e-0000-4000-8000-000000000001";
    private static final long LONG_AGO = -1_000_000;

    private final SideEntry<Mark> mark = new SideEntry<>(
            null, "mark", new SideEntry.Format<>(Mark::parse, Mark::json, Mark::sinceMs), List::of);
    private final Member member =
            Member.of(new HandOverConfig(true, 100, 500, 3000, false), new CopyBook(), new Haste());
    private final FakeInstance local = new FakeInstance();
    private final Drainer drainer = new Drainer(
            local, new Presence(ID, "orders-1", "host", 7, Optional.empty(), Optional.empty(), List.of(), 0), mark, member,
            Settings.of(Map.of()));

    @Test
    void shouldBeEmptyWhenARoundHasLeftNothing() {
        marked(5);
        assertThat(phase()).isEqualTo(DrainState.Phase.DRAINING);

        emptied();

        assertThat(phase()).isEqualTo(DrainState.Phase.EMPTY);
    }

    @Test
    void shouldStayEmptyWhileTheOthersRebalance() {
        marked(5);
        phase();
        emptied();
        phase();
        local.running = false;
        member.rounds().end(SegueClients.CLOCK.getAsLong());

        assertThat(phase()).isEqualTo(DrainState.Phase.EMPTY);
    }

    @Test
    void shouldBeEmptyNoMoreWhenSomethingComes() {
        marked(5);
        phase();
        emptied();
        phase();
        local.active = 1;

        assertThat(phase()).isEqualTo(DrainState.Phase.DRAINING);
    }

    /** Between the two marks work may have been given to it, of which it has not heard yet. */
    @Test
    void shouldNotBeEmptyUnderAnotherMarkBeforeItsRound() {
        marked(5);
        phase();
        emptied();
        phase();
        marked(6);

        assertThat(phase()).isEqualTo(DrainState.Phase.DRAINING);
    }

    private void marked(long sinceMs) {
        String text = Mark.now(ID, sinceMs, Optional.of(Duration.ofDays(100_000)), true, "test").json();
        mark.see(List.of(new SideGroups.Entry(new TopicPartition("orders", 0), text)));
    }

    private void emptied() {
        local.active = 0;
        member.rounds().end(LONG_AGO);
    }

    private DrainState.Phase phase() {
        drainer.next(true);
        return drainer.state().phase();
    }

    private static final class FakeInstance implements LocalInstance {
        private int active = 2;
        private boolean running = true;

        @Override
        public int active() {
            return active;
        }

        @Override
        public boolean running() {
            return running;
        }

        @Override
        public boolean ended() {
            return false;
        }

        @Override
        public boolean closed() {
            return false;
        }

        @Override
        public boolean leave(Duration timeout) {
            return true;
        }
    }
}
