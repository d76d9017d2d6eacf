// SPDX-License-Identifier: Apache-2.0
package io.segue.bench;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;

/** The client's cooperative sticky assignor, with the partitions of each topic and the subscriptions as its caller gives them. */
final class CooperativeStickyPeer implements Peer {
    private static final int NO_GENERATION = -1;
    private static final int GENERATION = 1;

    private record Input(Map<String, List<PartitionInfo>> topics, Map<String, Subscription> members) {}

    /** @param withheld partitions whose owner has to revoke them first, with the member that gets them then */
    private record Output(Map<String, List<TopicPartition>> given, Map<TopicPartition, String> withheld) {}

    @Override
    public Object prepare(Work work) {
        Map<String, List<PartitionInfo>> topics = new HashMap<>();
        List<String> names = new ArrayList<>();
        for (int topic = 0; topic < work.topics(); topic++) {
            String name = String.valueOf(topic);
            List<PartitionInfo> partitions = new ArrayList<>();
            for (int partition = 0; partition < work.partitions(topic); partition++) {
                partitions.add(new PartitionInfo(name, partition, Node.noNode(), new Node[0], new Node[0]));
            }
            names.add(name);
            topics.put(name, partitions);
        }
        Map<String, Subscription> members = new HashMap<>();
        int[][] owned = work.owned();
        for (int member = 0; member < work.members(); member++) {
            List<TopicPartition> partitions = new ArrayList<>();
            for (int task : owned[member]) {
                partitions.add(new TopicPartition(String.valueOf(work.topic(task)), work.partition(task)));
            }
            int generation = partitions.isEmpty() ? NO_GENERATION : GENERATION;
            members.put(work.member(member), new Subscription(names, null, partitions, generation, Optional.empty()));
        }
        return new Input(topics, members);
    }

    @Override
    public Object run(Object input) {
        CooperativeStickyAssignor assignor = new CooperativeStickyAssignor();
        Map<String, List<TopicPartition>> given =
                assignor.assignPartitions(((Input) input).topics, ((Input) input).members);
        return new Output(given, assignor.partitionsTransferringOwnership());
    }

    @Override
    public int[] owners(Work work, Object input, Object output) {
        int[] owners = new int[work.tasks()];
        Map<String, Integer> numbers = new HashMap<>();
        for (int member = 0; member < work.members(); member++) {
            numbers.put(work.member(member), member);
        }
        Output out = (Output) output;
        out.given.forEach((member, partitions) ->
                partitions.forEach(partition -> owners[task(work, partition)] = numbers.get(member)));
        if (out.withheld != null) {
            out.withheld.forEach((partition, member) -> owners[task(work, partition)] = numbers.get(member));
        }
        return owners;
    }

    private static int task(Work work, TopicPartition partition) {
        return work.task(Integer.parseInt(partition.topic()), partition.partition());
    }
}
