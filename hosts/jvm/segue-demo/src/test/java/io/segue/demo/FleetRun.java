// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;

import org.apache.kafka.clients.admin.Admin;

import io.segue.demo.DrainStage.Drain;

/** A {@link Fleet} at work: its input, which never stops, and what it writes, which is compared record by record. */
final class FleetRun implements AutoCloseable {
    private static final int PARTITIONS = 6;
    private static final int PODS = 3;
    private static final int RATE = 20;

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

    /** Who leads is left to Kafka; the other two are the leaver and, with the leader, the one that learns. */
    Drain roles() {
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
