// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import io.segue.Segue;

/**
 * The baseline against the real thing: Kafka's own class from its jar decides about the same applications, round by
 * round, and Kafka's decision is what the next round starts from.
 *
 * <p>Everything has to be the same, but for what Kafka leaves to chance or segue's plans cannot say:
 *
 * <ul>
 *   <li>Kafka may warm up two processes for one task, a plan has one learner for it. In such a round the copies may
 *       differ.
 *   <li>With two or more standbys Kafka's queue does not say which standby of a task it takes first, so that the slots
 *       may go to another one: the copies may differ, their number may not.
 *   <li>With two or more tags, standbys that cannot be kept apart are placed in the order of a hash map: the loads
 *       differ from there on, the number of standbys of each task does not.
 * </ul>
 */
class HighAvailabilityTest {
    private static final int RUNS = Integer.getInteger("segue.test.runs", 100);
    private static final int ROUNDS = 12;
    private static final List<String> TAG_KEYS = List.of("zone", "cluster");
    private static final int MOST_REBALANCES = 2_000;

    private static Segue segue;

    /** What a comparison has to show for one round. */
    private interface Comparison {
        void of(Fleet fleet, Decided kafka, Decided ours, Supplier<String> history);
    }

    /** A way to the fixed point. */
    private record Course(int rebalances, int moves, int built) {}

    @BeforeAll
    static void open() {
        segue = Segue.open();
    }

    @AfterAll
    static void close() {
        segue.close();
    }

    @Test
    void shouldDecideLikeKafka() {
        compare(0, 0, (fleet, kafka, ours, history) -> assertThat(ours).as(history).isEqualTo(kafka));
    }

    @Test
    void shouldDecideLikeKafkaWithAStandby() {
        compare(1, 0, HighAvailabilityTest::assertSame);
    }

    @Test
    void shouldKeepAStandbyInAnotherZoneLikeKafka() {
        compare(1, 1, HighAvailabilityTest::assertSame);
    }

    @Test
    void shouldPlaceEveryActiveLikeKafkaWithStandbys() {
        for (int standbys = 2; standbys <= 3; standbys++) {
            compare(standbys, 0, HighAvailabilityTest::assertSameActives);
            compare(standbys, 1, HighAvailabilityTest::assertSameActives);
        }
    }

    @Test
    void shouldGiveEachTaskAsManyStandbysAsKafkaWithTwoTags() {
        long seed = System.nanoTime();
        for (int run = 0; run < RUNS; run++) {
            Fleet fleet = random(new Random(seed + run), 1 + run % 3, 2);
            assertThat(counts(decide(fleet)))
                    .as(history(seed + run, fleet))
                    .isEqualTo(counts(KafkaHighAvailability.decide(fleet)));
        }
    }

    @Test
    void shouldTakeKafkasWayWhenAnInstanceJoinsTen() {
        assertThat(settle(started(100, 10, 0).join(11), HighAvailabilityTest::decide))
                .isEqualTo(settle(started(100, 10, 0).join(11), KafkaHighAvailability::decide))
                .isEqualTo(new Course(46, 90, 90));
    }

    @Test
    void shouldTakeKafkasWayWhenOneOfTenLeaves() {
        assertThat(settle(started(100, 10, 0).leave(5), HighAvailabilityTest::decide))
                .isEqualTo(settle(started(100, 10, 0).leave(5), KafkaHighAvailability::decide));
    }

    @Test
    void shouldTakeKafkasWayWithStandbys() {
        assertThat(settle(started(100, 10, 1).join(11), HighAvailabilityTest::decide))
                .isEqualTo(settle(started(100, 10, 1).join(11), KafkaHighAvailability::decide));
    }

    @Test
    void shouldTakeKafkasWayWithManyTasks() {
        assertThat(settle(started(300, 10, 0).join(11), HighAvailabilityTest::decide))
                .isEqualTo(settle(started(300, 10, 0).join(11), KafkaHighAvailability::decide));
    }

    private static Decided decide(Fleet fleet) {
        return OurHighAvailability.decide(segue, fleet);
    }

    private static void assertSame(Fleet fleet, Decided kafka, Decided ours, Supplier<String> history) {
        if (warmsUpTwice(fleet, kafka)) {
            assertThat(ours.active()).as(history).isEqualTo(kafka.active());
            assertThat(ours.again()).as(history).isEqualTo(kafka.again());
        } else {
            assertThat(ours).as(history).isEqualTo(kafka);
        }
    }

    private static void assertSameActives(Fleet fleet, Decided kafka, Decided ours, Supplier<String> history) {
        assertThat(ours.active()).as(history).isEqualTo(kafka.active());
        assertThat(ours.again()).as(history).isEqualTo(kafka.again());
        if (!warmsUpTwice(fleet, kafka)) {
            assertThat(total(ours)).as(history).isEqualTo(total(kafka));
        }
    }

    private static boolean warmsUpTwice(Fleet fleet, Decided kafka) {
        int standbys = Math.min(fleet.standbys, fleet.processes.size() - 1);
        return kafka.copies().values().stream().anyMatch(copies -> copies.size() > standbys + 1);
    }

    private static int total(Decided decided) {
        return decided.copies().values().stream().mapToInt(Set::size).sum();
    }

    private static Map<Object, Integer> counts(Decided decided) {
        Map<Object, Integer> counts = new HashMap<>();
        decided.copies().forEach((task, copies) -> counts.put(task, copies.size()));
        return counts;
    }

    private static void compare(int standbys, int tags, Comparison comparison) {
        long seed = System.nanoTime();
        for (int run = 0; run < RUNS / (1 + standbys); run++) {
            Random random = new Random(seed + run);
            Fleet fleet = random(random, standbys, tags);
            for (int round = 0; round < ROUNDS; round++) {
                Decided kafka = KafkaHighAvailability.decide(fleet);
                comparison.of(fleet, kafka, decide(fleet), history(seed + run, fleet));
                fleet.carryOut(kafka, random);
                change(fleet, random);
            }
        }
    }

    private static Supplier<String> history(long seed, Fleet fleet) {
        return () -> "seed " + seed + ", " + fleet.history();
    }

    private static Fleet random(Random random, int standbys, int tags) {
        Fleet fleet = new Fleet(1 + random.nextInt(40), random.nextInt(10), standbys, 1 + random.nextInt(4),
                TAG_KEYS.subList(0, tags));
        int processes = 1 + random.nextInt(8);
        int threads = random.nextBoolean() ? 1 : 4;
        for (int process = 1; process <= processes; process++) {
            join(fleet, 10 * process, threads, random);
        }
        return fleet;
    }

    private static void change(Fleet fleet, Random random) {
        if (random.nextInt(4) == 0) {
            join(fleet, random.nextInt(100), 3, random);
        }
        if (random.nextInt(6) == 0 && fleet.processes.size() > 1) {
            List<Integer> numbers = List.copyOf(fleet.processes.keySet());
            fleet.leave(numbers.get(random.nextInt(numbers.size())));
        }
    }

    private static void join(Fleet fleet, int number, int mostThreads, Random random) {
        Map<String, String> tags = new HashMap<>();
        fleet.tagKeys.forEach(key -> {
            if (random.nextInt(8) > 0) {
                tags.put(key, key + random.nextInt(3));
            }
        });
        if (!fleet.processes.containsKey(number)) {
            fleet.join(number, 1 + random.nextInt(mostThreads), tags);
        }
    }

    /** As Kafka would have started it, at rest. */
    private static Fleet started(int tasks, int processes, int standbys) {
        Fleet fleet = new Fleet(tasks, 0, standbys, 2, List.of());
        for (int process = 1; process <= processes; process++) {
            fleet.join(process);
        }
        settle(fleet, KafkaHighAvailability::decide);
        return fleet;
    }

    /** Rebalances until nobody asks for another; all copies are caught up in between. */
    private static Course settle(Fleet fleet, Function<Fleet, Decided> assignor) {
        int moves = 0;
        int built = 0;
        for (int rebalances = 1; rebalances <= MOST_REBALANCES; rebalances++) {
            Decided decided = assignor.apply(fleet);
            moves += fleet.moves(decided);
            built += fleet.built(decided);
            fleet.carryOut(decided);
            if (!decided.again()) {
                return new Course(rebalances, moves, built);
            }
        }
        throw new AssertionError("no rest after " + MOST_REBALANCES + " rebalances");
    }
}
