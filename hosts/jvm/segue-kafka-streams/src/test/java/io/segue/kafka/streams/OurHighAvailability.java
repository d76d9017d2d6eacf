// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

import org.apache.kafka.streams.processor.TaskId;

import io.segue.Configuration;
import io.segue.Copy;
import io.segue.Group;
import io.segue.InputPartition;
import io.segue.Member;
import io.segue.MemberPlan;
import io.segue.Plan;
import io.segue.Role;
import io.segue.Segue;
import io.segue.Task;

/** segue's high-availability. */
final class OurHighAvailability {
    private OurHighAvailability() {}

    static Decided decide(Segue segue, Fleet fleet) {
        Plan plan = segue.assign("high-availability", group(fleet), Configuration.defaults()
                .with("num.standby.replicas", fleet.standbys)
                .with("max.warmup.replicas", fleet.warmups)
                .with("acceptable.recovery.lag", Fleet.ACCEPTABLE_LAG)
                .with("rack.aware.assignment.strategy", fleet.strategy));
        if (plan.report().fallback()) {
            throw new AssertionError(plan.report() + "\n" + fleet.history());
        }
        return decided(fleet, plan);
    }

    private static Group group(Fleet fleet) {
        Group.Builder group = Group.builder().tagKeys(fleet.tagKeys);
        fleet.stateful.forEach(
                task -> group.task(withInputs(fleet, task, Task.stateful(subtopology(task), task.partition()))));
        fleet.stateless.forEach(
                task -> group.task(withInputs(fleet, task, Task.stateless(subtopology(task), task.partition()))));
        fleet.processes.forEach((number, process) -> group.member(member(fleet, number, process)));
        return group.build();
    }

    private static String subtopology(TaskId task) {
        return String.valueOf(task.subtopology());
    }

    private static Task withInputs(Fleet fleet, TaskId id, Task task) {
        List<InputPartition> inputs = new ArrayList<>();
        for (Set<String> racks : fleet.inputs.getOrDefault(id, List.of())) {
            inputs.add(new InputPartition("input" + inputs.size(), id.partition(), racks));
        }
        return task.withInputs(inputs);
    }

    private static Member member(Fleet fleet, int number, Fleet.Process process) {
        Member.Builder member = Member.builder(name(number)).threads(process.threads()).tags(process.tags());
        Optional.ofNullable(fleet.racks.get(number)).ifPresent(member::rack);
        fleet.stateless.stream()
                .filter(task -> owns(fleet, number, task))
                .forEach(task -> member.copy(Copy.of(task.toString(), Role.ACTIVE)));
        fleet.stateful.stream()
                .filter(task -> fleet.lags.get(task).containsKey(number))
                .forEach(task -> member.copy(Copy.of(task.toString(),
                        owns(fleet, number, task) ? Role.ACTIVE : Role.STANDBY, fleet.lags.get(task).get(number))));
        return member.build();
    }

    private static boolean owns(Fleet fleet, int number, TaskId task) {
        return Integer.valueOf(number).equals(fleet.owners.get(task));
    }

    /** Sorted as the numbers are. */
    private static String name(int number) {
        return String.format("%06d", number);
    }

    private static Decided decided(Fleet fleet, Plan plan) {
        Map<TaskId, Integer> active = new TreeMap<>();
        Map<TaskId, Set<Integer>> copies = new TreeMap<>();
        fleet.stateful.forEach(task -> copies.put(task, new TreeSet<>()));
        for (MemberPlan member : plan.members()) {
            int number = Integer.parseInt(member.id());
            member.active().forEach(task -> active.put(TaskId.parse(task), number));
            Stream.concat(member.standby().stream(), member.learner().stream())
                    .forEach(task -> copies.get(TaskId.parse(task)).add(number));
        }
        return new Decided(active, copies, plan.followup().needed());
    }
}
