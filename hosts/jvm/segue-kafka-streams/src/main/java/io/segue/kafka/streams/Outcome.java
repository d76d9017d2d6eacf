// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

import org.apache.kafka.streams.processor.assignment.ApplicationState;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsState;
import org.apache.kafka.streams.processor.assignment.ProcessId;
import org.apache.kafka.streams.processor.assignment.TaskAssignmentUtils;
import org.apache.kafka.streams.processor.assignment.TaskAssignor.AssignmentError;
import org.apache.kafka.streams.processor.assignment.TaskAssignor.TaskAssignment;

import io.segue.Plan;
import io.segue.Report;
import io.segue.Stats;

/** An assignment, and how it came about. */
record Outcome(
        TaskAssignment assignment,
        int tasks,
        int processes,
        Stats stats,
        boolean revokes,
        Optional<Instant> followup,
        Optional<String> fault) {

    static Outcome planned(ApplicationState application, AssignorSettings settings) {
        StreamsGroup group = StreamsGroup.of(application, System.currentTimeMillis(), settings.marks());
        Plan plan = SharedSegue.at(settings.pluginPath())
                .assign(settings.assignor(), group.group(), settings.with(application.assignmentConfigs()));
        StreamsPlan next = new StreamsPlan(group, plan, Instant.now());
        TaskAssignment assignment = next.assignment();
        AssignmentError error = TaskAssignmentUtils.validateTaskAssignment(application, assignment);
        if (error != AssignmentError.NONE) {
            throw new IllegalStateException("Kafka Streams would refuse the plan: " + error);
        }
        return new Outcome(assignment, group.taskCount(), group.processCount(), plan.stats(), next.revokes(),
                next.followup(), fault(plan.report()));
    }

    static Outcome kept(ApplicationState application, Throwable fault) {
        Map<ProcessId, KafkaStreamsState> states = application.kafkaStreamsStates(false);
        return new Outcome(KeepOwners.of(application), application.allTasks().size(), states.size(), Stats.NONE, false,
                Optional.empty(), Optional.of(fault.toString()));
    }

    private static Optional<String> fault(Report report) {
        if (!report.fallback()) {
            return Optional.empty();
        }
        return Optional.of(report.status() + (report.rule() == 0 ? "" : " R" + report.rule()) + ": " + report.text());
    }

    AssignmentEvent event(AssignorSettings settings, Duration elapsed) {
        return new AssignmentEvent(settings.assignor(), tasks, processes, stats.learners(), stats.moves(),
                stats.minMoves(), revokes, followup, settings.maxLearners(), fault, elapsed);
    }
}
