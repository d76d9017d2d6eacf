// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsAssignment;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsAssignment.AssignedTask;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsAssignment.AssignedTask.Type;
import org.apache.kafka.streams.processor.assignment.ProcessId;
import org.apache.kafka.streams.processor.assignment.TaskAssignor.TaskAssignment;

import io.segue.Followup;
import io.segue.MemberPlan;
import io.segue.Plan;

/**
 * A plan as Kafka Streams wants it: a learner is a standby, and rounds that have to follow are asked for. What a leaving
 * process gives up it keeps as a standby for the round between, in which Kafka Streams would otherwise close its stores
 * before it lets the next round begin; it closes them when the new owner is at work.
 */
final class StreamsPlan {
    private final StreamsGroup group;
    private final Plan plan;
    private final boolean revokes;
    private final Optional<Instant> followup;

    StreamsPlan(StreamsGroup group, Plan plan, Instant now) {
        this.group = group;
        this.plan = plan;
        revokes = plan.members().stream().anyMatch(member -> !keeps(member).containsAll(owned(member)));
        followup = revokes ? Optional.of(now) : probing(plan.followup());
    }

    TaskAssignment assignment() {
        Optional<String> prober = prober();
        return new TaskAssignment(plan.members().stream()
                .map(member -> followup.filter(at -> revokes || prober.equals(Optional.of(member.id())))
                        .map(at -> tasks(member).withFollowupRebalance(at))
                        .orElseGet(() -> tasks(member)))
                .toList());
    }

    /** A live owner gives a task up: the new owner gets it only in the round after the one that revokes it. */
    boolean revokes() {
        return revokes;
    }

    /** At once where a task changes hands, so that nobody waits for anybody's heartbeat; else as the plan says. */
    Optional<Instant> followup() {
        return followup;
    }

    private static Optional<Instant> probing(Followup followup) {
        return followup.needed() && followup.atMs().isPresent()
                ? Optional.of(Instant.ofEpochMilli(followup.atMs().getAsLong()))
                : Optional.empty();
    }

    /** One process asks for the probing rebalance; best one that learns, since it knows most about it. */
    private Optional<String> prober() {
        return plan.members().stream()
                .filter(member -> !member.learner().isEmpty())
                .findFirst()
                .or(() -> plan.members().stream().findFirst())
                .map(MemberPlan::id);
    }

    private KafkaStreamsAssignment tasks(MemberPlan member) {
        Set<AssignedTask> tasks = new HashSet<>();
        add(tasks, member.active(), Type.ACTIVE);
        add(tasks, member.standby(), Type.STANDBY);
        add(tasks, member.learner(), Type.STANDBY);
        givenUp(member).forEach(task -> tasks.add(new AssignedTask(task, Type.STANDBY)));
        return KafkaStreamsAssignment.of(group.process(member.id()), tasks);
    }

    private void add(Set<AssignedTask> tasks, List<String> ids, Type type) {
        ids.forEach(id -> tasks.add(new AssignedTask(group.task(id), type)));
    }

    private Set<TaskId> givenUp(MemberPlan member) {
        ProcessId process = group.process(member.id());
        if (!group.isLeaving(process)) {
            return Set.of();
        }
        Set<TaskId> givenUp = group.owned(process);
        givenUp.removeAll(keeps(member));
        givenUp.removeIf(task -> !group.isStateful(task));
        return givenUp;
    }

    private Set<TaskId> keeps(MemberPlan member) {
        return member.active().stream().map(group::task).collect(Collectors.toSet());
    }

    private Collection<TaskId> owned(MemberPlan member) {
        return group.owned(group.process(member.id()));
    }
}
