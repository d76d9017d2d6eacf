// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

import org.apache.kafka.streams.processor.TaskId;

/**
 * An application as two assignors can be asked about it: who owns each task, and how far each process is behind on it.
 * Processes are numbered in the order in which both assignors see them.
 */
final class Fleet {
    /** Larger than any lag of a copy: what has to be replayed without one. */
    static final long CHANGELOG = 1L << 40;

    static final long ACCEPTABLE_LAG = 10_000;

    /** @param tags empty: none */
    record Process(int threads, Map<String, String> tags) {}

    final List<TaskId> stateful = new ArrayList<>();
    final List<TaskId> stateless = new ArrayList<>();
    final Map<Integer, Process> processes = new TreeMap<>();
    final Map<TaskId, Integer> owners = new HashMap<>();
    final Map<TaskId, Map<Integer, Long>> lags = new HashMap<>();
    final int standbys;
    final int warmups;
    final List<String> tagKeys;

    /** {@code rack.aware.assignment.strategy}, where each process is, and where the replicas of each task's inputs are. */
    String strategy = "none";

    final Map<Integer, String> racks = new TreeMap<>();
    final Map<TaskId, List<Set<String>>> inputs = new TreeMap<>();
    private final List<String> history = new ArrayList<>();

    Fleet(int stateful, int stateless, int standbys, int warmups, List<String> tagKeys) {
        for (int partition = 0; partition < stateful; partition++) {
            this.stateful.add(new TaskId(0, partition));
            lags.put(new TaskId(0, partition), new TreeMap<>());
        }
        for (int partition = 0; partition < stateless; partition++) {
            this.stateless.add(new TaskId(1, partition));
        }
        this.standbys = standbys;
        this.warmups = warmups;
        this.tagKeys = tagKeys;
    }

    Fleet join(int number, int threads, Map<String, String> tags) {
        processes.put(number, new Process(threads, tags));
        history.add("join " + number + ": " + threads + " threads, tags " + tags);
        return this;
    }

    /** One more task, whose inputs have replicas in these racks. */
    Fleet add(TaskId task, boolean hasState, List<Set<String>> replicas) {
        (hasState ? stateful : stateless).add(task);
        if (hasState) {
            lags.put(task, new TreeMap<>());
        }
        inputs.put(task, replicas);
        history.add((hasState ? "stateful " : "stateless ") + task + " reads " + replicas);
        return this;
    }

    Fleet join(int number, int threads, String rack) {
        racks.put(number, rack);
        history.add(number + " is in " + rack);
        return join(number, threads, Map.of());
    }

    Fleet join(int number) {
        return join(number, 1, Map.of());
    }

    Fleet leave(int number) {
        processes.remove(number);
        owners.values().removeIf(owner -> owner == number);
        lags.values().forEach(copies -> copies.remove(number));
        history.add("leave " + number);
        return this;
    }

    /** Everything is caught up, and what lost its role is deleted. */
    void carryOut(Decided decided) {
        stateful.forEach(task -> {
            Map<Integer, Long> next = new TreeMap<>();
            decided.copies().get(task).forEach(process -> next.put(process, 0L));
            next.put(decided.active().get(task), 0L);
            lags.put(task, next);
        });
        owners.putAll(decided.active());
        history.add(decided.toString());
    }

    /** Some copies catch up, some do not get far; what lost its role may stay on disk. No two lags are the same. */
    void carryOut(Decided decided, Random random) {
        stateful.forEach(task -> {
            Map<Integer, Long> before = lags.get(task);
            Map<Integer, Long> next = new TreeMap<>();
            before.forEach((process, lag) -> {
                if (random.nextBoolean()) {
                    next.put(process, lag == 0 ? 1 + (long) random.nextInt(1 << 20) : lag);
                }
            });
            decided.copies().get(task).forEach(process -> next.put(process, replayed(process, before, random)));
            next.put(decided.active().get(task), replayed(decided.active().get(task), before, random));
            lags.put(task, next);
        });
        owners.putAll(decided.active());
        history.add(decided + " " + lags);
    }

    private static long replayed(int process, Map<Integer, Long> before, Random random) {
        long lag = before.getOrDefault(process, 1_000_000_000L + random.nextInt(1 << 20));
        return lag == 0 || random.nextInt(3) > 0 ? 0 : lag - random.nextInt((int) Math.min(lag, 1 << 20));
    }

    int moves(Decided decided) {
        return (int) stateful.stream()
                .filter(task -> owners.containsKey(task) && !owners.get(task).equals(decided.active().get(task)))
                .count();
    }

    int built(Decided decided) {
        return stateful.stream()
                .mapToInt(task -> (int) decided.holders(task).stream()
                        .filter(process -> !lags.get(task).containsKey(process))
                        .count())
                .sum();
    }

    String history() {
        return "racks " + strategy + ", standbys " + standbys + ", warm-ups " + warmups + "\n" + String.join("\n", history);
    }
}
