// SPDX-License-Identifier: Apache-2.0
package io.segue.bench;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.group.api.assignor.ConsumerGroupPartitionAssignor;
import org.apache.kafka.coordinator.group.api.assignor.GroupAssignment;
import org.apache.kafka.coordinator.group.api.assignor.GroupSpec;
import org.apache.kafka.coordinator.group.api.assignor.SubscribedTopicDescriber;
import org.apache.kafka.coordinator.group.api.assignor.SubscriptionType;
import org.apache.kafka.coordinator.group.modern.Assignment;
import org.apache.kafka.coordinator.group.modern.GroupSpecImpl;
import org.apache.kafka.coordinator.group.modern.MemberSubscriptionAndAssignmentImpl;

/** The broker's assignors of consumer groups (KIP-848), called as the group coordinator calls them. */
record BrokerConsumerPeer(ConsumerGroupPartitionAssignor assignor) implements Peer {
    private record Input(GroupSpec group, SubscribedTopicDescriber topics) {}

    /** Every member subscribes to all topics. */
    private record Topics(Work work) implements SubscribedTopicDescriber {
        @Override
        public int numPartitions(Uuid topic) {
            return work.partitions(number(topic));
        }

        @Override
        public Set<String> racksForPartition(Uuid topic, int partition) {
            return Set.of();
        }
    }

    private static Uuid id(int topic) {
        return new Uuid(0x5e67e0L + topic, topic);
    }

    private static int number(Uuid topic) {
        return (int) topic.getLeastSignificantBits();
    }

    @Override
    public Object prepare(Work work) {
        Set<Uuid> all = new HashSet<>();
        for (int topic = 0; topic < work.topics(); topic++) {
            all.add(id(topic));
        }
        Map<String, MemberSubscriptionAndAssignmentImpl> members = new HashMap<>();
        Map<Uuid, Map<Integer, String>> owners = new HashMap<>();
        int[][] owned = work.owned();
        for (int member = 0; member < work.members(); member++) {
            Map<Uuid, Set<Integer>> partitions = new HashMap<>();
            for (int task : owned[member]) {
                Uuid topic = id(work.topic(task));
                partitions.computeIfAbsent(topic, any -> new HashSet<>()).add(work.partition(task));
                owners.computeIfAbsent(topic, any -> new HashMap<>()).put(work.partition(task), work.member(member));
            }
            members.put(work.member(member), new MemberSubscriptionAndAssignmentImpl(Optional.empty(), Optional.empty(), all,
                    partitions.isEmpty() ? Assignment.EMPTY : new Assignment(partitions)));
        }
        return new Input(new GroupSpecImpl(members, SubscriptionType.HOMOGENEOUS, owners), new Topics(work));
    }

    @Override
    public Object run(Object input) {
        return assignor.assign(((Input) input).group, ((Input) input).topics);
    }

    @Override
    public int[] owners(Work work, Object input, Object output) {
        int[] owners = new int[work.tasks()];
        for (int member = 0; member < work.members(); member++) {
            int owner = member;
            ((GroupAssignment) output).members().get(work.member(member)).partitions()
                    .forEach((topic, partitions) -> partitions
                            .forEach(partition -> owners[work.task(number(topic), partition)] = owner));
        }
        return owners;
    }
}
