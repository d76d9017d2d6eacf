// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsAssignment;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsAssignment.AssignedTask;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsAssignment.AssignedTask.Type;
import org.apache.kafka.streams.processor.assignment.ProcessId;
import org.apache.kafka.streams.processor.assignment.TaskAssignor.TaskAssignment;

/**
 * An application that plays Kafka Streams' part of a rebalance: it withholds a task that somebody else still owns,
 * follows it as a temporary standby meanwhile, leaves revoked state on disk, and tells the leader no more than Kafka
 * does. Keeps a history for failures.
 */
final class SimulatedApplication {
    private static final int MOST_ROUNDS = 60;

    private final SegueTaskAssignor assignor;
    private final int standbys;
    private final Map<ProcessId, SimulatedProcess> processes = new TreeMap<>();
    private final Map<TaskId, Long> ends = new TreeMap<>();
    private final List<String> history = new ArrayList<>();
    private AssignmentEvent event;
    private int moves;
    private int leastMoves;
    private boolean restless;

    SimulatedApplication(SegueTaskAssignor assignor, int tasks, long stateSize, int standbys) {
        this.assignor = assignor;
        this.standbys = standbys;
        for (int task = 0; task < tasks; task++) {
            ends.put(FakeApplication.task(task), stateSize);
        }
    }

    void join(int number, int threads) {
        SimulatedProcess process = new SimulatedProcess(number, threads);
        if (processes.isEmpty()) {
            process.disk.putAll(ends);
        }
        processes.put(process.id, process);
        history.add("join " + number);
    }

    void leave(int number) {
        processes.remove(FakeApplication.process(number));
        history.add("leave " + number);
    }

    /** It goes, something happens, and it is back with what it had on disk. */
    void restart(int number, Runnable meanwhile) {
        SimulatedProcess old = processes.remove(FakeApplication.process(number));
        history.add("restart " + number);
        meanwhile.run();
        SimulatedProcess back = new SimulatedProcess(number, old.threads);
        back.disk.putAll(old.disk);
        processes.put(back.id, back);
        history.add("back " + number);
    }

    int moves() {
        return moves;
    }

    List<String> history() {
        return history;
    }

    int tasks() {
        return ends.size();
    }

    List<Integer> loads() {
        return processes.values().stream().map(process -> process.owned.size()).toList();
    }

    int load(int number) {
        return processes.get(FakeApplication.process(number)).owned.size();
    }

    Set<TaskId> owned(int number) {
        return Set.copyOf(processes.get(FakeApplication.process(number)).owned);
    }

    /** Standbys and learners of a process. */
    Set<TaskId> followed(int number) {
        return Set.copyOf(processes.get(FakeApplication.process(number)).followed);
    }

    /** What the plan after the last join or leave called the least. */
    int leastMoves() {
        return leastMoves;
    }

    /** Rebalances as often as Kafka and the plans ask for it, with time for replay in between, until nobody asks. */
    void settle(long input, long replayed) {
        for (int round = 0; round < MOST_ROUNDS; round++) {
            rebalance();
            leastMoves = round == 0 ? event.minMoves() : leastMoves;
            if (!restless) {
                return;
            }
            advance(input, replayed);
        }
        throw new AssertionError("no rest after " + MOST_ROUNDS + " rounds\n" + String.join("\n", history));
    }

    void rebalance() {
        FakeApplication seen = new FakeApplication().stateful(0, ends.size()).standbys(standbys);
        processes.values().forEach(process -> seen.with(process.report(ends)));
        TaskAssignment assignment = ask(seen);
        Set<TaskId> ownedBefore = owned();
        restless = assignment.assignment().stream().anyMatch(next -> next.followupRebalanceDeadline().isPresent());
        assignment.assignment().forEach(next -> apply(next, ownedBefore));
        history.add("  " + processes.values() + (restless ? " goes on" : ""));
    }

    private TaskAssignment ask(FakeApplication seen) {
        AssignmentListener.Registration listening = SegueTaskAssignor.listen(heard -> event = heard);
        try {
            return assignor.assign(seen);
        } finally {
            listening.close();
        }
    }

    void advance(long input, long replayed) {
        Map<TaskId, Long> before = new HashMap<>(ends);
        ends.replaceAll((task, end) -> end + input);
        processes.values().forEach(process -> process.advance(before, ends, replayed));
    }

    private void apply(KafkaStreamsAssignment next, Set<TaskId> ownedBefore) {
        SimulatedProcess process = processes.get(next.processId());
        Set<TaskId> active = tasks(next, Type.ACTIVE);
        Set<TaskId> withheld = new HashSet<>(active);
        withheld.removeIf(task -> process.owned.contains(task) || !ownedBefore.contains(task));
        Set<TaskId> taken = new TreeSet<>(active);
        taken.removeAll(withheld);
        moves += (int) taken.stream().filter(task -> !process.owned.contains(task)).count();
        restless |= !withheld.isEmpty();
        process.owned.clear();
        process.owned.addAll(taken);
        process.followed.clear();
        process.followed.addAll(tasks(next, Type.STANDBY));
        withheld.stream().filter(process.disk::containsKey).forEach(process.followed::add);
        process.followed.forEach(task -> process.disk.putIfAbsent(task, 0L));
        taken.forEach(task -> process.disk.putIfAbsent(task, 0L));
    }

    private Set<TaskId> owned() {
        return processes.values().stream().flatMap(p -> p.owned.stream()).collect(Collectors.toSet());
    }

    private static Set<TaskId> tasks(KafkaStreamsAssignment next, Type type) {
        return next.tasks().values().stream()
                .filter(task -> task.type() == type)
                .map(AssignedTask::id)
                .collect(Collectors.toSet());
    }
}
