// SPDX-License-Identifier: Apache-2.0
package io.segue.bench;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.assignment.ProcessId;
import org.apache.kafka.streams.processor.internals.assignment.ClientState;
import org.apache.kafka.streams.processor.internals.assignment.HighAvailabilityTaskAssignor;
import org.apache.kafka.streams.processor.internals.assignment.RackAwareTaskAssignor;

/** Kafka Streams' default assignor (KIP-441). Every client knows its lag of every task: tasks times members entries. */
final class HighAvailabilityPeer implements Peer {
    private record Input(
            StreamsInput common, Map<ProcessId, ClientState> clients, Set<TaskId> tasks, RackAwareTaskAssignor racks) {}

    @Override
    public Object prepare(Work work) {
        StreamsInput common = new StreamsInput(work);
        Set<TaskId> tasks = new HashSet<>(List.of(common.tasks));
        Map<ProcessId, ClientState> clients = new HashMap<>();
        int[][] owned = work.owned();
        int[][] stoodBy = work.stoodBy();
        for (int member = 0; member < work.members(); member++) {
            Map<TaskId, Long> lags = new HashMap<>();
            tasks.forEach(task -> lags.put(task, StreamsInput.CHANGELOG));
            put(lags, common, owned[member], StreamsInput.RUNS_THERE);
            put(lags, common, stoodBy[member], 0);
            ProcessId process = StreamsInput.process(member);
            clients.put(process, new ClientState(Set.of(), Set.of(), lags, Map.of(), 1, process));
        }
        Cluster empty = new Cluster("cluster", List.of(), List.of(), Set.of(), Set.of());
        return new Input(common, clients, tasks, new RackAwareTaskAssignor(
                empty, Map.of(), Map.of(), Map.of(), Map.of(), null, common.configs, Time.SYSTEM));
    }

    private static void put(Map<TaskId, Long> lags, StreamsInput common, int[] tasks, long lag) {
        for (int task : tasks) {
            lags.put(common.tasks[task], lag);
        }
    }

    @Override
    public Object run(Object input) {
        Input in = (Input) input;
        return new HighAvailabilityTaskAssignor().assign(in.clients, in.tasks, in.tasks, in.racks, in.common.configs);
    }

    @Override
    public int[] owners(Work work, Object input, Object output) {
        int[] owners = new int[work.tasks()];
        Input in = (Input) input;
        in.clients.forEach((process, client) -> client.activeTasks()
                .forEach(task -> owners[in.common.numbers.get(task)] = (int) process.id().getLeastSignificantBits()));
        return owners;
    }

    @Override
    public boolean consumes() {
        return true;
    }
}
