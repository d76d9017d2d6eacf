// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.assignment.ProcessId;
import org.junit.jupiter.api.Test;

import io.segue.Leaving;

/** Whole drains over rounds in which the leader sees no more than Kafka Streams shows it, and the marks. */
class ScaleInTest {
    private static final long STATE = 100_000;
    private static final long INPUT = 100;
    private static final long REPLAYED = 30_000;
    private static final int RUNS = Integer.getInteger("segue.test.runs", 40);

    private final Set<Integer> marked = new TreeSet<>();
    private OptionalLong deadline = OptionalLong.empty();

    @Test
    void shouldEmptyALeaverWithOneMoveATask() {
        SimulatedApplication application = started(9, 0, 3);
        assertThat(drained(application, 3)).as(history(application)).isEqualTo(3);
        assertThat(application.load(3)).isZero();
        assertThat(application.load(1) - application.load(2)).isBetween(-1, 1);
    }

    @Test
    void shouldEmptyALeaverWhereStandbysAreWanted() {
        SimulatedApplication application = started(9, 1, 3);
        assertThat(drained(application, 2)).as(history(application)).isEqualTo(3);
        assertThat(application.load(2)).isZero();
    }

    @Test
    void shouldServeFromTheLeaverUntilTheLearnersAreThere() {
        SimulatedApplication application = started(4, 0, 2);
        marked.add(1);
        application.rebalance();
        assertThat(application.load(1)).as(history(application)).isEqualTo(2);
    }

    /** In the middle round its stores stay open, so that the new owners need not wait for their closing. */
    @Test
    void shouldCloseWhatTheLeaverGaveUpWhenTheNewOwnersAreAtWork() {
        SimulatedApplication application = started(4, 0, 2);
        Set<TaskId> given = application.owned(2);
        marked.add(2);

        application.rebalance();
        assertThat(application.owned(2)).as(history(application)).isEmpty();
        assertThat(application.followed(2)).as(history(application)).isEqualTo(given);

        application.rebalance();
        assertThat(application.load(1)).as(history(application)).isEqualTo(4);
        assertThat(application.followed(2)).as(history(application)).isEmpty();
    }

    @Test
    void shouldForceWhatIsLeftAtTheDeadline() {
        SimulatedApplication application = started(4, 0, 2);
        application.join(3, 1);
        marked.addAll(Set.of(1, 2));
        deadline = OptionalLong.of(1);
        application.rebalance();
        application.rebalance();
        assertThat(application.load(3)).as(history(application)).isEqualTo(4);
    }

    @Test
    void shouldGoBackToTheSharesWhenCancelledHalfWay() {
        SimulatedApplication application = started(8, 0, 2);
        int before = application.moves();
        marked.add(1);
        application.rebalance();
        marked.clear();
        application.settle(INPUT, REPLAYED);
        assertThat(application.moves() - before).as(history(application)).isZero();
        assertThat(application.loads()).containsExactly(4, 4);
    }

    @Test
    void shouldKeepEverythingWhereItIsWhenEverybodyIsLeaving() {
        SimulatedApplication application = started(8, 0, 2);
        int before = application.moves();
        marked.addAll(Set.of(1, 2));
        application.rebalance();
        application.rebalance();
        assertThat(application.moves() - before).as(history(application)).isZero();
        assertThat(application.loads()).containsExactly(4, 4);
    }

    @Test
    void shouldSwapAWholeFleetWithOneMoveATask() {
        SimulatedApplication application = started(40, 0, 20);
        int before = application.moves();
        for (int number = 1; number <= 20; number++) {
            application.join(20 + number, 1);
            marked.add(number);
        }
        application.settle(INPUT, REPLAYED);
        assertThat(application.moves() - before).as(history(application)).isEqualTo(40);
        assertThat(application.loads().subList(0, 20)).containsOnly(0);
        assertThat(application.loads().subList(20, 40)).containsOnly(2);
    }

    @Test
    void shouldLeaveALateComerOutOfNothing() {
        SimulatedApplication application = started(8, 0, 2);
        marked.add(2);
        application.rebalance();
        application.join(3, 1);
        application.settle(INPUT, REPLAYED);
        assertThat(application.loads()).as(history(application)).containsExactly(4, 0, 4);
    }

    /** Each task of a leaver moves once, and nothing else does, with standbys and without. */
    @Test
    void shouldEmptyWhoeverLeavesWhateverTheGroup() {
        long seed = Long.getLong("segue.test.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int run = 0; run < RUNS; run++) {
            marked.clear();
            int processes = 2 + random.nextInt(6);
            int standbys = random.nextInt(3);
            SimulatedApplication application = started(1 + random.nextInt(24), standbys, processes);
            List<Integer> all = new ArrayList<>();
            for (int number = 1; number <= processes; number++) {
                all.add(number);
            }
            Collections.shuffle(all, random);
            List<Integer> leaving = all.subList(0, 1 + random.nextInt(processes - 1));
            int owned = leaving.stream().mapToInt(application::load).sum();
            int moves = drained(application, leaving.toArray(Integer[]::new));
            String history = "seed " + seed + " leaving " + leaving + "\n" + history(application);
            assertThat(leaving).as(history).allMatch(number -> application.load(number) == 0);
            assertThat(moves).as(history).isEqualTo(owned);
        }
    }

    private int drained(SimulatedApplication application, Integer... numbers) {
        int before = application.moves();
        marked.addAll(List.of(numbers));
        application.settle(INPUT, REPLAYED);
        return application.moves() - before;
    }

    private SimulatedApplication started(int tasks, int standbys, int processes) {
        SegueTaskAssignor assignor = new SegueTaskAssignor(
                AssignorSettings.of(Map.of("segue.assignor", "scale-down")).with(all -> new News(leaving(), Optional.empty())));
        SimulatedApplication application = new SimulatedApplication(assignor, tasks, STATE, standbys);
        for (int number = 1; number <= processes; number++) {
            application.join(number, 1);
            application.settle(INPUT, REPLAYED);
        }
        return application;
    }

    private Map<ProcessId, Leaving> leaving() {
        Map<ProcessId, Leaving> leaving = new HashMap<>();
        marked.forEach(number -> leaving.put(FakeApplication.process(number), new Leaving(0, deadline)));
        return leaving;
    }

    private static String history(SimulatedApplication application) {
        return String.join("\n", application.history());
    }
}
