// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;

import org.junit.jupiter.api.Test;

/** Whole scale-outs over rounds in which the leader sees no more than Kafka Streams shows it. */
class ScaleOutTest {
    private static final long STATE = 100_000;
    private static final long INPUT = 100;
    private static final long REPLAYED = 30_000;
    private static final int RUNS = Integer.getInteger("segue.test.runs", 60);

    @Test
    void shouldMoveNoMoreThanTheMinimumToASecondAndAThirdProcess() {
        SimulatedApplication application = started(8, 0, "true");
        int first = scaleOut(application, 2);
        int second = scaleOut(application, 3);
        assertThat(new int[] {first, second}).as(() -> String.join("\n", application.history())).containsExactly(4, 2);
    }

    @Test
    void shouldMoveNoMoreThanTheMinimumInTheStableMode() {
        SimulatedApplication application = started(8, 0, "false");
        int first = scaleOut(application, 2);
        int second = scaleOut(application, 3);
        assertThat(new int[] {first, second}).as(() -> String.join("\n", application.history())).containsExactly(4, 2);
    }

    @Test
    void shouldMoveNoMoreThanTheMinimumWithStandbys() {
        SimulatedApplication application = started(9, 1, "true");
        int first = scaleOut(application, 2);
        int second = scaleOut(application, 3);
        int third = scaleOut(application, 4);
        assertThat(new int[] {first, second, third})
                .as(() -> String.join("\n", application.history()))
                .containsExactly(4, 3, 2);
    }

    @Test
    void shouldReachTheBalanceWithTheLeastMovesWhateverJoins() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int run = 0; run < RUNS; run++) {
            SimulatedApplication application = random(random);
            for (int number = 2; number < 7; number++) {
                int moved = scaleOut(application, number);
                assertThat(moved).as(history(seed, application)).isEqualTo(application.leastMoves());
                assertThat(spread(application)).as(history(seed, application)).isLessThanOrEqualTo(1);
            }
        }
    }

    @Test
    void shouldMoveTheLeastToProcessesOfAnyNumberOfThreads() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int run = 0; run < RUNS; run++) {
            SimulatedApplication application = random(random);
            for (int number = 2; number < 7; number++) {
                int before = application.moves();
                application.join(number, 1 + random.nextInt(4));
                application.settle(random.nextInt(300), REPLAYED);
                assertThat(application.moves() - before)
                        .as(history(seed, application))
                        .isEqualTo(application.leastMoves());
            }
        }
    }

    @Test
    void shouldComeToRestAfterARestartOnTheOldDisk() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int run = 0; run < RUNS; run++) {
            SimulatedApplication application = random(random);
            scaleOut(application, 2);
            scaleOut(application, 3);
            application.restart(2 + random.nextInt(2), () -> application.settle(INPUT, REPLAYED));
            application.settle(INPUT, REPLAYED);
            assertThat(spread(application)).as(history(seed, application)).isLessThanOrEqualTo(1);
        }
    }

    @Test
    void shouldGiveANewProcessItsShareWhateverJoinedAndLeftBefore() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int run = 0; run < RUNS; run++) {
            SimulatedApplication application = random(random);
            Set<Integer> present = new HashSet<>(Set.of(1));
            for (int event = 0; event < 8; event++) {
                int number = 2 + random.nextInt(5);
                if (present.remove(number)) {
                    application.leave(number);
                    application.settle(INPUT, REPLAYED);
                } else {
                    present.add(number);
                    scaleOut(application, number);
                    assertThat(application.load(number))
                            .as(history(seed, application))
                            .isGreaterThanOrEqualTo(application.tasks() / present.size());
                }
            }
        }
    }

    private static SimulatedApplication random(Random random) {
        return started(1 + random.nextInt(24), random.nextInt(3), random.nextBoolean() ? "true" : "false");
    }

    private static Supplier<String> history(long seed, SimulatedApplication application) {
        return () -> "seed " + seed + "\n" + String.join("\n", application.history());
    }

    private static int spread(SimulatedApplication application) {
        return Collections.max(application.loads()) - Collections.min(application.loads());
    }

    private static SimulatedApplication started(int tasks, int standbys, String eager) {
        SegueTaskAssignor assignor = new SegueTaskAssignor();
        assignor.configure(Map.of("learner.partial.rebalance", eager));
        SimulatedApplication application = new SimulatedApplication(assignor, tasks, STATE, standbys);
        application.join(1, 1);
        application.settle(INPUT, REPLAYED);
        return application;
    }

    private static int scaleOut(SimulatedApplication application, int number) {
        int before = application.moves();
        application.join(number, 1);
        application.settle(INPUT, REPLAYED);
        return application.moves() - before;
    }
}
