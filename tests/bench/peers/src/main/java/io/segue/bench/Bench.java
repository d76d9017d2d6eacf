// SPDX-License-Identifier: Apache-2.0
package io.segue.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import org.apache.kafka.coordinator.group.assignor.RangeAssignor;
import org.apache.kafka.coordinator.group.assignor.UniformAssignor;

/**
 * Times Kafka's assignors and ours on the same groups, turn by turn in one run.
 *
 * <p>{@code Bench SLOT PLUGIN [--quick]}: one line of JSON for each assignor, group and event on standard output.
 * Everybody's input lies ready in memory; only the call that assigns is timed, in processor time of its thread.
 */
public final class Bench {
    private static final String[] OURS = {"balanced", "learner", "sticky", "high-availability", "memcpy"};
    private static final int ROUNDS = 7;
    private static final double TURN_NS = 30e6;
    private static final int MOST_CALLS = 2_000;

    private final Path slot;
    private final Path plugin;
    private final boolean quick;

    /** @param mostCells tasks times members up to which a call takes seconds at the most */
    private record Entry(Supplier<Peer> peer, double mostCells, boolean standbys) {}

    private record Size(int tasks, int members, int topics, int standbys) {}

    /** A lane, how many calls fill its turn, and the medians of its turns. */
    private record Runner(String name, Lane lane, int calls, List<Double> medians) {}

    private static final Map<String, Entry> PEERS = new LinkedHashMap<>();

    static {
        PEERS.put("broker uniform", new Entry(() -> new BrokerConsumerPeer(new UniformAssignor()), 1e10, false));
        PEERS.put("broker range", new Entry(() -> new BrokerConsumerPeer(new RangeAssignor()), 1e10, false));
        PEERS.put("broker streams sticky", new Entry(BrokerStreamsPeer::new, 1e10, true));
        PEERS.put("client cooperative-sticky", new Entry(CooperativeStickyPeer::new, 1e10, false));
        PEERS.put("Streams sticky", new Entry(StreamsStickyPeer::new, 1e7, true));
        PEERS.put("Streams high-availability", new Entry(HighAvailabilityPeer::new, 1e5, true));
    }

    private static final List<Size> SIZES = List.of(
            new Size(1_000, 100, 1, 0),
            new Size(10_000, 1_000, 1, 0),
            new Size(100_000, 10_000, 1, 0),
            new Size(100_000, 10_000, 100, 0),
            new Size(1_000, 100, 1, 1),
            new Size(10_000, 1_000, 1, 1),
            new Size(100_000, 10_000, 1, 1));

    private Bench(Path slot, Path plugin, boolean quick) {
        this.slot = slot;
        this.plugin = plugin;
        this.quick = quick;
    }

    public static void main(String[] arguments) throws IOException {
        if (arguments.length < 2) {
            System.err.println("usage: Bench SLOT PLUGIN [--quick]");
            System.exit(2);
        }
        boolean quick = Arrays.asList(arguments).contains("--quick");
        Bench bench = new Bench(Path.of(arguments[0]), Path.of(arguments[1]), quick);
        for (Size size : quick ? SIZES.subList(0, 1) : SIZES) {
            for (Event event : Event.values()) {
                bench.compare(size, event);
            }
        }
    }

    private void compare(Size size, Event event) throws IOException {
        Work work = Work.settled(size.tasks, size.members, size.topics, size.standbys).after(event);
        Path group = Files.createTempFile("bench", ".json");
        work.write(group);
        List<Runner> runners = new ArrayList<>();
        PEERS.forEach((name, entry) -> {
            boolean fits = (double) size.tasks * size.members <= entry.mostCells;
            if (fits && (size.standbys == 0 || entry.standbys)) {
                runners.add(warm(name, new PeerLane(entry.peer.get(), work)));
            }
        });
        for (String name : OURS) {
            runners.add(warm("segue " + name, new SlotLane(slot, plugin, name, group)));
        }
        for (int round = 0; round < (quick ? 2 : ROUNDS); round++) {
            runners.forEach(Bench::turn);
        }
        runners.forEach(runner -> report(size, event, runner));
        Files.delete(group);
    }

    /** Then as many calls as fill a turn. */
    private Runner warm(String name, Lane lane) {
        double wanted = lane.warmUpNs() / (quick ? 10 : 1);
        double spent = 0;
        double last = 0;
        for (int call = 0; call < 3 || spent < wanted && call < 20_000; call++) {
            last = lane.time(1)[0];
            spent += last;
        }
        int calls = (int) Math.max(1, Math.min(MOST_CALLS, TURN_NS / Math.max(last, 1)));
        return new Runner(name, lane, calls, new ArrayList<>());
    }

    /** The first call brings its data back into the caches, after the others. */
    private static void turn(Runner runner) {
        runner.lane.time(1);
        runner.medians.add(median(Arrays.stream(runner.lane.time(runner.calls)).asDoubleStream().toArray()));
    }

    private static double median(double[] values) {
        Arrays.sort(values);
        int middle = values.length / 2;
        return values.length % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
    }

    private static void report(Size size, Event event, Runner runner) {
        double[] medians = runner.medians.stream().mapToDouble(Double::doubleValue).toArray();
        double middle = median(medians);
        System.out.printf(
                "{\"tasks\": %d, \"members\": %d, \"topics\": %d, \"standbys\": %d, \"event\": \"%s\", \"assignor\": \"%s\","
                        + " \"median_ns\": %.0f, \"least_ns\": %.0f, \"most_ns\": %.0f, \"calls\": %d, %s}%n",
                size.tasks, size.members, size.topics, size.standbys, event.label, runner.name, middle, medians[0],
                medians[medians.length - 1], runner.calls, runner.lane.outcome());
        System.out.flush();
        runner.lane.close();
    }
}
