// SPDX-License-Identifier: Apache-2.0
package io.segue.bench;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

import org.apache.kafka.coordinator.group.api.streams.assignor.GroupAssignment;
import org.apache.kafka.coordinator.group.api.streams.assignor.GroupSpec;
import org.apache.kafka.coordinator.group.api.streams.assignor.TopologyDescriber;
import org.apache.kafka.coordinator.group.streams.assignor.AssignmentConfigsImpl;
import org.apache.kafka.coordinator.group.streams.assignor.GroupSpecImpl;
import org.apache.kafka.coordinator.group.streams.assignor.MemberMetadataAndStateImpl;
import org.apache.kafka.coordinator.group.streams.assignor.StickyTaskAssignor;

/** The broker's sticky assignor of streams groups (KIP-1071), called as the group coordinator calls it. */
final class BrokerStreamsPeer implements Peer {
    private final StickyTaskAssignor assignor = new StickyTaskAssignor();

    private record Input(GroupSpec group, TopologyDescriber topology) {}

    private record Topology(Work work, List<String> subtopologies) implements TopologyDescriber {
        @Override
        public int maxNumInputPartitions(String subtopology) {
            return work.partitions(Integer.parseInt(subtopology));
        }

        @Override
        public boolean isStateful(String subtopology) {
            return true;
        }
    }

    @Override
    public Object prepare(Work work) {
        Map<String, MemberMetadataAndStateImpl> members = new HashMap<>();
        int[][] owned = work.owned();
        int[][] stoodBy = work.stoodBy();
        for (int member = 0; member < work.members(); member++) {
            String name = work.member(member);
            members.put(name, new MemberMetadataAndStateImpl(Optional.empty(), Optional.empty(), name, Map.of(),
                    partitions(work, owned[member]), partitions(work, stoodBy[member]), Map.of(), Map.of(), Map.of()));
        }
        List<String> subtopologies = IntStream.range(0, work.topics()).mapToObj(String::valueOf).toList();
        return new Input(
                new GroupSpecImpl(members, AssignmentConfigsImpl.DEFAULT.withNumStandbyReplicas(work.standbys())),
                new Topology(work, subtopologies));
    }

    private static Map<String, Set<Integer>> partitions(Work work, int[] tasks) {
        Map<String, Set<Integer>> partitions = new HashMap<>();
        for (int task : tasks) {
            partitions.computeIfAbsent(String.valueOf(work.topic(task)), any -> new HashSet<>()).add(work.partition(task));
        }
        return partitions;
    }

    @Override
    public Object run(Object input) {
        return assignor.assign(((Input) input).group, ((Input) input).topology);
    }

    @Override
    public int[] owners(Work work, Object input, Object output) {
        int[] owners = new int[work.tasks()];
        for (int member = 0; member < work.members(); member++) {
            int owner = member;
            ((GroupAssignment) output).members().get(work.member(member)).activeTasks()
                    .forEach((subtopology, partitions) -> partitions
                            .forEach(partition -> owners[work.task(Integer.parseInt(subtopology), partition)] = owner));
        }
        return owners;
    }
}
