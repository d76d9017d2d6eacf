// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

import org.apache.kafka.streams.processor.TaskId;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import io.segue.Segue;

/**
 * The baseline's racks against the real thing: what Kafka's own class pays for traffic and moves, ours pays, too. Of several
 * assignments that cost the same each may take another one.
 *
 * <p>Nobody has any state at first, so that what is decided is what is meant. Without racks both decide the same
 * ({@link HighAvailabilityTest}): moves are counted from there.
 */
class HighAvailabilityRacksTest {
    private static final int RUNS = Integer.getInteger("segue.test.runs", 100);
    private static final int MOST_REBALANCES = 500;
    private static final int TRAFFIC = 10;

    private static Segue segue;

    /** What an assignment costs, and how many tasks with and without state each process has. */
    private record Outcome(long stateful, long stateless, Map<Integer, Integer> actives, Map<Integer, Integer> all) {}

    @BeforeAll
    static void open() {
        segue = Segue.open();
    }

    @AfterAll
    static void close() {
        segue.close();
    }

    @Test
    void shouldPayWhatKafkaPaysForTheLeastTraffic() {
        assertThat(compareAll("min_traffic", 0)).isPositive();
    }

    @Test
    void shouldPayWhatKafkaPaysForBalancedSubtopologies() {
        assertThat(compareAll("balance_subtopology", 0)).isPositive();
    }

    @Test
    void shouldPayWhatKafkaPaysWithStandbys() {
        assertThat(compareAll("min_traffic", 1) + compareAll("balance_subtopology", 2)).isPositive();
    }

    @Test
    void shouldNotHeedRacksWhereOneIsNotKnownLikeKafka() {
        Fleet fleet = random(new Random(1), "min_traffic", 0);
        assertThat(decide(fleet)).isNotEqualTo(decide(copy(fleet, "none")));
        fleet.join(99);
        assertThat(decide(fleet)).isEqualTo(decide(copy(fleet, "none"))).isEqualTo(KafkaHighAvailability.decide(fleet));
    }

    @Test
    void shouldComeToRestWhereKafkaDoes() {
        long seed = System.nanoTime();
        for (int run = 0; run < 1 + RUNS / 20; run++) {
            String strategy = run % 2 == 0 ? "min_traffic" : "balance_subtopology";
            Fleet theirs = random(new Random(seed + run), strategy, 0);
            Fleet ours = random(new Random(seed + run), strategy, 0);
            for (Fleet fleet : List.of(theirs, ours)) {
                settle(fleet, KafkaHighAvailability::decide);
                fleet.join(55, 2, "a");
            }
            assertThat(outcome(ours, settle(ours, HighAvailabilityRacksTest::decide)))
                    .as("seed " + (seed + run) + ", " + ours.history())
                    .isEqualTo(outcome(theirs, settle(theirs, KafkaHighAvailability::decide)));
        }
    }

    /** How much cheaper racks made it, all together. */
    private static long compareAll(String strategy, int standbys) {
        long seed = System.nanoTime();
        long gained = 0;
        for (int run = 0; run < RUNS / 2; run++) {
            Fleet fleet = random(new Random(seed + run), strategy, standbys);
            Decided decided = decide(fleet);
            Outcome ours = outcome(fleet, decided);
            assertThat(ours)
                    .as("seed " + (seed + run) + ", " + fleet.history())
                    .isEqualTo(outcome(fleet, KafkaHighAvailability.decide(fleet)));
            assertKeepsKafkasBounds(fleet, decided);
            gained += outcome(fleet, without(fleet)).stateful() - ours.stateful();
        }
        return gained;
    }

    private static Decided decide(Fleet fleet) {
        return OurHighAvailability.decide(segue, fleet);
    }

    private static Decided without(Fleet fleet) {
        return KafkaHighAvailability.decide(copy(fleet, "none"));
    }

    /** The same application before anybody has anything. */
    private static Fleet copy(Fleet fleet, String strategy) {
        Fleet fresh = new Fleet(0, 0, fleet.standbys, fleet.warmups, List.of());
        fresh.strategy = strategy;
        fleet.stateful.forEach(task -> fresh.add(task, true, fleet.inputs.get(task)));
        fleet.stateless.forEach(task -> fresh.add(task, false, fleet.inputs.get(task)));
        fleet.processes.forEach((number, process) -> fresh.join(number, process.threads(), process.tags()));
        fresh.racks.putAll(fleet.racks);
        return fresh;
    }

    private static Outcome outcome(Fleet fleet, Decided decided) {
        Decided start = without(fleet);
        long moves = fleet.stateful.stream()
                .filter(task -> !start.active().get(task).equals(decided.active().get(task)))
                .count();
        return new Outcome(
                TRAFFIC * traffic(fleet, decided, fleet.stateful) + moves,
                traffic(fleet, decided, fleet.stateless),
                counts(decided, fleet.stateful.stream()),
                counts(decided, decided.active().keySet().stream()));
    }

    private static long traffic(Fleet fleet, Decided decided, List<TaskId> tasks) {
        return tasks.stream()
                .mapToLong(task -> fleet.inputs.get(task).stream()
                        .filter(racks -> !racks.contains(fleet.racks.get(decided.active().get(task))))
                        .count())
                .sum();
    }

    private static Map<Integer, Integer> counts(Decided decided, Stream<TaskId> tasks) {
        Map<Integer, Integer> counts = new HashMap<>();
        tasks.forEach(task -> counts.merge(decided.active().get(task), 1, Integer::sum));
        return counts;
    }

    private static void assertKeepsKafkasBounds(Fleet fleet, Decided decided) {
        if (fleet.strategy.equals("balance_subtopology")) {
            assertKeepsKafkasBounds(fleet.stateful, decided);
            assertKeepsKafkasBounds(fleet.stateless, decided);
        }
    }

    private static void assertKeepsKafkasBounds(List<TaskId> tasks, Decided decided) {
        Map<Integer, Integer> has = counts(decided, tasks.stream());
        for (int subtopology = 0; subtopology < 4; subtopology++) {
            int number = subtopology;
            List<TaskId> some =
                    tasks.stream().filter(task -> task.subtopology() == number).toList();
            counts(decided, some.stream()).forEach((process, count) -> assertThat(count)
                    .isLessThanOrEqualTo((int) Math.ceil(has.get(process) * 1.0 / tasks.size() * some.size())));
        }
    }

    private static Fleet random(Random random, String strategy, int standbys) {
        Fleet fleet = new Fleet(0, 0, standbys, 4, List.of());
        fleet.strategy = strategy;
        int subtopologies = 1 + random.nextInt(4);
        for (int subtopology = 0; subtopology < subtopologies; subtopology++) {
            boolean stateful = subtopology == 0 || random.nextInt(3) > 0;
            int inputs = 1 + random.nextInt(3);
            for (int partition = random.nextInt(8); partition >= 0; partition--) {
                fleet.add(new TaskId(subtopology, partition), stateful, replicas(random, inputs));
            }
        }
        int threads = random.nextBoolean() ? 1 : 4;
        for (int process = 1 + random.nextInt(7); process >= 0; process--) {
            fleet.join(10 * (process + 1), 1 + random.nextInt(threads), rack(random));
        }
        return fleet;
    }

    private static List<Set<String>> replicas(Random random, int inputs) {
        List<Set<String>> replicas = new ArrayList<>();
        for (int input = 0; input < inputs; input++) {
            Set<String> racks = new HashSet<>();
            for (int replica = random.nextInt(3); replica >= 0; replica--) {
                racks.add(rack(random));
            }
            replicas.add(racks);
        }
        return replicas;
    }

    private static String rack(Random random) {
        return List.of("a", "b", "c", "d").get(random.nextInt(4));
    }

    /** Rebalances until nobody asks for another; all copies are caught up in between. */
    private static Decided settle(Fleet fleet, Function<Fleet, Decided> assignor) {
        for (int rebalances = 1; rebalances <= MOST_REBALANCES; rebalances++) {
            Decided decided = assignor.apply(fleet);
            fleet.carryOut(decided);
            if (!decided.again()) {
                return decided;
            }
        }
        throw new AssertionError("no rest after " + MOST_REBALANCES + " rebalances");
    }
}
