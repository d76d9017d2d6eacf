// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** All partitions as their processors report themselves: owners, silences, hand-overs. Safe from any thread. */
final class Ledger implements TaskWatch {
    private final List<Tenure> tenures;
    private final List<HandOver> handOvers = new CopyOnWriteArrayList<>();
    private final AtomicLong processed = new AtomicLong();
    private final AtomicLong lastChange = new AtomicLong(Millis.now());
    private final AtomicLong lastHandOver = new AtomicLong();
    private final Consumer<HandOver> onHandOver;

    Ledger(int partitions, Consumer<HandOver> onHandOver) {
        this.tenures = IntStream.range(0, partitions).mapToObj(Tenure::new).toList();
        this.onHandOver = onHandOver;
    }

    @Override
    public void opened(int partition, String instance) {
        long now = Millis.now();
        lastChange.set(now);
        tenures.get(partition).opened(now);
    }

    @Override
    public void closed(int partition, String instance) {
        long now = Millis.now();
        lastChange.set(now);
        tenures.get(partition).closed(now);
    }

    @Override
    public void processed(int partition, String instance) {
        processed.incrementAndGet();
        Tenure tenure = tenures.get(partition);
        // Whoever sees a new owner sees its hand-over as well.
        synchronized (tenure) {
            tenure.processed(instance, Millis.now()).ifPresent(this::record);
        }
    }

    private void record(HandOver handOver) {
        handOvers.add(handOver);
        lastHandOver.set(Millis.now());
        onHandOver.accept(handOver);
    }

    /** Starts a new measurement; hand-overs and silences so far are forgotten. */
    void restart() {
        handOvers.clear();
        tenures.forEach(Tenure::restart);
    }

    long processed() {
        return processed.get();
    }

    /** When the latest hand-over ended; 0 before the first. */
    long lastHandOver() {
        return lastHandOver.get();
    }

    List<HandOver> handOvers() {
        return List.copyOf(handOvers);
    }

    /** How many partitions each instance works on. */
    Map<String, Integer> owners() {
        Map<String, Integer> owners = new TreeMap<>();
        tenures.forEach(tenure -> owners.merge(tenure.worker(), 1, Integer::sum));
        return owners;
    }

    List<Long> silences() {
        long now = Millis.now();
        return tenures.stream().map(tenure -> tenure.longestSilence(now)).toList();
    }

    List<Long> vacancies() {
        long now = Millis.now();
        return tenures.stream().map(tenure -> tenure.longestVacancy(now)).toList();
    }

    boolean everDoubled() {
        return tenures.stream().anyMatch(Tenure::doubled);
    }

    boolean allBusy(long withinMs) {
        long now = Millis.now();
        return tenures.stream().allMatch(tenure -> tenure.busy(now, withinMs));
    }

    long unchangedForMs() {
        return Millis.now() - lastChange.get();
    }
}
