// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.assignment.AssignmentConfigs;
import org.apache.kafka.streams.processor.assignment.ProcessId;
import org.apache.kafka.streams.processor.internals.assignment.ClientState;
import org.apache.kafka.streams.processor.internals.assignment.HighAvailabilityTaskAssignor;

/** Kafka's own high-availability assignor, of the version that the tests run with. */
final class KafkaHighAvailability {
    /** How Kafka says that a task runs there. */
    private static final long RUNS_THERE = -2;

    private KafkaHighAvailability() {}

    static Decided decide(Fleet fleet) {
        Map<ProcessId, ClientState> clients = new HashMap<>();
        fleet.processes.forEach((number, process) -> clients.put(id(number), client(fleet, number, process)));
        Set<TaskId> all = new HashSet<>(fleet.stateful);
        all.addAll(fleet.stateless);
        AssignmentConfigs configs = new AssignmentConfigs(Fleet.ACCEPTABLE_LAG, fleet.warmups, fleet.standbys, 600_000,
                fleet.tagKeys, OptionalInt.empty(), OptionalInt.empty(), fleet.strategy);
        boolean again = new HighAvailabilityTaskAssignor()
                .assign(clients, all, new HashSet<>(fleet.stateful), KafkaRacks.of(fleet, configs), configs);
        return decided(fleet, clients, again);
    }

    private static ProcessId id(int number) {
        return FakeApplication.process(number);
    }

    private static ClientState client(Fleet fleet, int number, Fleet.Process process) {
        Map<TaskId, Long> lags = new TreeMap<>();
        fleet.stateful.forEach(task -> {
            long lag = fleet.lags.get(task).getOrDefault(number, Fleet.CHANGELOG);
            boolean runs = lag == 0 && Integer.valueOf(number).equals(fleet.owners.get(task));
            lags.put(task, runs ? RUNS_THERE : lag);
        });
        return new ClientState(Set.of(), Set.of(), lags, process.tags(), process.threads(), id(number));
    }

    private static Decided decided(Fleet fleet, Map<ProcessId, ClientState> clients, boolean again) {
        Map<TaskId, Integer> active = new TreeMap<>();
        Map<TaskId, Set<Integer>> copies = new TreeMap<>();
        fleet.stateful.forEach(task -> copies.put(task, new TreeSet<>()));
        fleet.processes.keySet().forEach(number -> {
            clients.get(id(number)).activeTasks().forEach(task -> active.put(task, number));
            clients.get(id(number)).standbyTasks().forEach(task -> copies.get(task).add(number));
        });
        return new Decided(active, copies, again);
    }
}
