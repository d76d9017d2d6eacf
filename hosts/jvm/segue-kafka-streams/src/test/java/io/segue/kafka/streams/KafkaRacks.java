// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.assignment.AssignmentConfigs;
import org.apache.kafka.streams.processor.assignment.ProcessId;
import org.apache.kafka.streams.processor.internals.TopologyMetadata.Subtopology;
import org.apache.kafka.streams.processor.internals.assignment.ClientState;
import org.apache.kafka.streams.processor.internals.assignment.RackAwareTaskAssignor;

/** What Kafka's own assignor asks about a fleet's racks. Standbys stay where they were dealt: segue's groups say no more. */
final class KafkaRacks extends RackAwareTaskAssignor {
    private KafkaRacks(
            Cluster cluster,
            Map<TaskId, Set<TopicPartition>> inputs,
            Map<Subtopology, Set<TaskId>> tasks,
            Map<ProcessId, Map<String, Optional<String>>> consumers,
            AssignmentConfigs configs) {
        super(cluster, inputs, Map.of(), tasks, consumers, null, configs, Time.SYSTEM);
    }

    static RackAwareTaskAssignor of(Fleet fleet, AssignmentConfigs configs) {
        Map<TaskId, Set<TopicPartition>> inputs = new HashMap<>();
        List<PartitionInfo> partitions = new ArrayList<>();
        Map<Subtopology, Set<TaskId>> tasks = new HashMap<>();
        fleet.inputs.forEach((task, replicas) -> {
            inputs.put(task, describe(task, replicas, partitions));
            tasks.computeIfAbsent(new Subtopology(task.subtopology(), null), key -> new HashSet<>()).add(task);
        });
        Map<ProcessId, Map<String, Optional<String>>> consumers = new TreeMap<>();
        fleet.processes.keySet().forEach(number -> consumers.put(FakeApplication.process(number),
                Collections.singletonMap("consumer", Optional.ofNullable(fleet.racks.get(number)))));
        Set<Node> brokers = new HashSet<>();
        partitions.forEach(partition -> brokers.addAll(List.of(partition.replicas())));
        Cluster cluster = new Cluster("cluster", brokers, partitions, Set.of(), Set.of());
        return new KafkaRacks(cluster, inputs, tasks, consumers, configs);
    }

    private static Set<TopicPartition> describe(TaskId task, List<Set<String>> inputs, List<PartitionInfo> partitions) {
        Set<TopicPartition> described = new HashSet<>();
        for (Set<String> racks : inputs) {
            String topic = "t" + task.subtopology() + "-" + described.size();
            Node[] replicas = racks.stream().map(KafkaRacks::broker).toArray(Node[]::new);
            partitions.add(new PartitionInfo(topic, task.partition(), replicas[0], replicas, replicas));
            described.add(new TopicPartition(topic, task.partition()));
        }
        return described;
    }

    private static Node broker(String rack) {
        return new Node(rack.hashCode(), rack, 9092, rack);
    }

    @Override
    public long optimizeStandbyTasks(
            SortedMap<ProcessId, ClientState> clients,
            int trafficCost,
            int nonOverlapCost,
            MoveStandbyTaskPredicate mayMove) {
        return 0;
    }
}
