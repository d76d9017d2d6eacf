// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.processor.TaskId;

/** The copies of state this member keeps beside owners elsewhere. Safe from any thread, never blocks. */
final class CopyBook {
    private final Map<TopicPartition, Changelog> changelogs = new HashMap<>();

    synchronized void started(TopicPartition changelog, long now) {
        changelogs.put(changelog, Changelog.started(now));
    }

    synchronized void loaded(TopicPartition changelog, TaskId task, long lag, long now) {
        changelogs.computeIfPresent(changelog, (key, old) -> old.of(task).behind(lag, now));
    }

    /** A lag seen without a batch: an idle changelog never loads one, and its copy is caught up all the same. */
    synchronized void idle(TopicPartition changelog, long lag, long now) {
        changelogs.computeIfPresent(changelog, (key, old) -> old.known() ? old : old.behind(lag, now));
    }

    synchronized void ended(TopicPartition changelog) {
        changelogs.remove(changelog);
    }

    /** Changelogs of which nothing is known yet. */
    synchronized Set<TopicPartition> silent() {
        return changelogs.entrySet().stream()
                .filter(entry -> !entry.getValue().known())
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    /**
     * All copies. A changelog whose task is unknown counts for every task of its partition number: that can make
     * a copy look further behind for a moment, never nearer.
     */
    synchronized List<Copy> copies() {
        Map<TaskId, Map<TopicPartition, Changelog>> tasks = new LinkedHashMap<>();
        Map<Integer, Map<TopicPartition, Changelog>> strays = new LinkedHashMap<>();
        changelogs.forEach((key, changelog) -> changelog.task()
                .map(task -> tasks.computeIfAbsent(task, none -> new HashMap<>()))
                .orElseGet(() -> strays.computeIfAbsent(key.partition(), none -> new HashMap<>()))
                .put(key, changelog));
        tasks.forEach((task, stores) -> stores.putAll(strays.getOrDefault(task.partition(), Map.of())));
        tasks.keySet().forEach(task -> strays.remove(task.partition()));
        List<Copy> copies = new ArrayList<>();
        tasks.values().forEach(stores -> copies.add(Copy.of(stores)));
        strays.values().forEach(stores -> copies.add(Copy.of(stores)));
        return copies;
    }
}
