// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import org.apache.kafka.clients.admin.Admin;

import io.segue.demo.DrainStage.Drain;
import io.segue.demo.Gates.Gate;

/** A {@link Fleet} at work: its input, which never stops, and what it writes, which is compared record by record. */
final class FleetRun implements AutoCloseable {
    private static final int PARTITIONS = 6;
    private static final int PODS = 3;
    private static final int RATE = 20;
    private static final int ATTEMPTS = 5;
    private static final Duration STAGE = Duration.ofSeconds(120);

    private final Faults faults = new Faults();
    private final Workload workload = new Workload(PARTITIONS, 500, 64, 1);
    private final Input input;
    private final OutputWatch output;
    private final Fleet fleet;

    /** @param guarantee of processing, as Kafka Streams names it */
    FleetRun(String application, String guarantee, Broker broker, Admin admin, Path directory) {
        Topics topics = Topics.of(application);
        topics.create(admin, PARTITIONS, new Await(faults));
        Settings settings = new Settings(
                PARTITIONS, 1, 64, RATE, PODS, 1, guarantee.startsWith("exactly"), 500, 0, 500, 1, 90, List.of());
        input = new Input(broker.address(), topics.input(), workload, RATE, faults);
        output = new OutputWatch(broker.address(), topics.output(), settings, faults);
        fleet = new Fleet(application, guarantee, broker.address(), admin, directory, PARTITIONS);
        input.preload(done -> { });
        input.start();
    }

    Fleet fleet() {
        return fleet;
    }

    /** A drain under way, and where its mark stands. */
    record Marked(Drain drain, Fleet.Place place) {
    }

    /**
     * Begins a drain and brings it to a stage, at which it stays as far as gates can hold it, its mark in any case. On a
     * busy machine one can go past its stage, or take another way, before that is seen: such a drain goes on to its end,
     * which it has to reach, and the next is begun.
     */
    Marked bringTo(DrainStage stage, String what) throws Exception {
        List<String> missed = new ArrayList<>();
        while (missed.size() < ATTEMPTS) {
            Drain drain = roles();
            drain.leaver().close(Gate.CLEAR);
            stage.hold(drain);
            Marked marked = new Marked(drain, fleet.mark(drain.leaver()));
            boolean seen = Fleet.holdsWithin(
                    STAGE, () -> stage.reached(drain) || stage.passedFor(drain).isPresent());
            if (stage.reached(drain)) {
                return marked;
            }
            missed.add((seen ? "already " + stage.passedFor(drain).orElseThrow() : "not there within " + STAGE)
                    + ": " + fleet);
            System.out.println(what + ": missed, " + missed.get(missed.size() - 1));
            DrainStage.release(drain);
            drained(what + ", missed", drain.leaver(), drain.others());
        }
        throw new AssertionError(what + ": no drain of " + ATTEMPTS + " was seen at its stage: " + missed);
    }

    /** Returns when the leaver has ended as it should, and the others have all of the work. */
    void drained(String what, Pod leaver, List<Pod> others) throws Exception {
        fleet.await(what + ": the drain has ended", () -> !leaver.alive());
        assertThat(leaver.status()).as(what + ": how the leaver ended").isZero();
        assertThat(fleet.marks()).as(what + ": marks left").isEmpty();
        fleet.await(what + ": whole without the leaver", () -> fleet.whole(others));
    }

    /** Who leads is left to Kafka; the other two are the leaver and, with the leader, the one that learns. */
    private Drain roles() {
        List<Pod> pods = fleet.fillUpTo(PODS);
        Pod leader = fleet.leader();
        List<Pod> others = pods.stream().filter(pod -> pod != leader).toList();
        pods.forEach(Pod::forget);
        return new Drain(others.get(1), others.get(0), leader, Set.copyOf(others.get(1).open()));
    }

    /** Ends the input. Returns when every record has an output, as it has where none is lost. */
    Verdict end() throws InterruptedException {
        input.stop();
        fleet.await("the output of every record", () -> audit().lost() == 0);
        faults.check();
        return audit();
    }

    private Verdict audit() {
        return new Audit(workload, input.sent()).examine(output::emissions, List.of(), false);
    }

    @Override
    public void close() {
        fleet.close();
        input.close();
        output.close();
    }
}
