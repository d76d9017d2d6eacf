// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsState;
import org.apache.kafka.streams.processor.assignment.ProcessId;
import org.apache.kafka.streams.state.HostInfo;

/** A Kafka Streams instance as the leader sees it: lags of all stateful tasks, whether there is a copy or not. */
final class FakeProcess implements KafkaStreamsState {
    static final long RUNS_THERE = -2;
    static final long UNKNOWN = -3;

    private final ProcessId id;
    private final int threads;
    private final SortedSet<TaskId> active = new TreeSet<>();
    private final SortedSet<TaskId> standby = new TreeSet<>();
    private final Map<TaskId, Long> lags = new HashMap<>();
    private final Map<String, String> tags = new HashMap<>();
    private Optional<String> rack = Optional.empty();

    FakeProcess(int number, int threads) {
        this(FakeApplication.process(number), threads);
    }

    FakeProcess(ProcessId id, int threads) {
        this.id = id;
        this.threads = threads;
    }

    /** One of its client.tag values. */
    FakeProcess tag(String key, String value) {
        tags.put(key, value);
        return this;
    }

    /** Its client.rack. */
    FakeProcess rack(String name) {
        rack = Optional.of(name);
        return this;
    }

    /** It runs the task. */
    FakeProcess runs(TaskId task) {
        return owns(task, RUNS_THERE);
    }

    /** It owns the task, and the leader knows this of its lag. */
    FakeProcess owns(TaskId task, long lag) {
        active.add(task);
        lags.put(task, lag);
        return this;
    }

    /** It owns a task that has no changelog. */
    FakeProcess runsUnlogged(TaskId task) {
        active.add(task);
        return this;
    }

    /** It has state of the task on disk, followed or not. */
    FakeProcess copy(TaskId task, long lag) {
        standby.add(task);
        lags.put(task, lag);
        return this;
    }

    /** It has nothing of a stateful task: Kafka says the whole changelog. */
    FakeProcess lacks(TaskId task, long end) {
        lags.put(task, end);
        return this;
    }

    @Override
    public ProcessId processId() {
        return id;
    }

    @Override
    public int numProcessingThreads() {
        return threads;
    }

    @Override
    public SortedSet<String> consumerClientIds() {
        return new TreeSet<>();
    }

    @Override
    public SortedSet<TaskId> previousActiveTasks() {
        return active;
    }

    @Override
    public SortedSet<TaskId> previousStandbyTasks() {
        return standby;
    }

    @Override
    public long lagFor(TaskId task) {
        return lags.get(task);
    }

    @Override
    public SortedSet<TaskId> prevTasksByLag(String consumerClientId) {
        return new TreeSet<>();
    }

    @Override
    public Map<TaskId, Long> statefulTasksToLagSums() {
        return lags;
    }

    @Override
    public Optional<HostInfo> hostInfo() {
        return Optional.empty();
    }

    @Override
    public Map<String, String> clientTags() {
        return tags;
    }

    @Override
    public Optional<String> rackId() {
        return rack;
    }

    @Override
    public String toString() {
        return "process " + id.id().getLeastSignificantBits() + " threads=" + threads + " active=" + active + " standby="
                + standby + " lags=" + lags;
    }
}
