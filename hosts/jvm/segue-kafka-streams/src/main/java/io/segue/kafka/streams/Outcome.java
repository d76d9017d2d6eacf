// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.apache.kafka.streams.processor.assignment.ApplicationState;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsState;
import org.apache.kafka.streams.processor.assignment.ProcessId;
import org.apache.kafka.streams.processor.assignment.TaskAssignmentUtils;
import org.apache.kafka.streams.processor.assignment.TaskAssignor.AssignmentError;
import org.apache.kafka.streams.processor.assignment.TaskAssignor.TaskAssignment;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.segue.AssignorInfo;
import io.segue.Followup;
import io.segue.Leaving;
import io.segue.Plan;
import io.segue.Recorded;
import io.segue.Report;
import io.segue.Stats;

/** An assignment, and how it came about. */
record Outcome(
        TaskAssignment assignment,
        String assignor,
        int tasks,
        int processes,
        Stats stats,
        boolean revokes,
        Optional<Instant> followup,
        Optional<String> why,
        Optional<String> fault,
        Optional<Recorded> recorded) {
    private static final Logger LOG = LoggerFactory.getLogger(Outcome.class);

    /** @param news of which only the marks count here */
    static Outcome planned(ApplicationState application, AssignorSettings settings, News news) {
        Map<ProcessId, Leaving> leaving = news.leaving(settings.assignor());
        StreamsGroup group = StreamsGroup.of(application, System.currentTimeMillis(), leaving);
        if (!leaving.isEmpty() && leaving.size() == group.processCount()) {
            LOG.warn("All {} instances are marked as leaving: nobody is there to take over, so the tasks stay",
                    leaving.size());
        }
        Recorded recorded = settings.offer().segue()
                .assignRecorded(settings.assignor(), group.group(), settings.with(application.assignmentConfigs()));
        Plan plan = recorded.plan();
        StreamsPlan next = new StreamsPlan(group, plan, Instant.now());
        TaskAssignment assignment = next.assignment();
        AssignmentError error = TaskAssignmentUtils.validateTaskAssignment(application, assignment);
        if (error != AssignmentError.NONE) {
            throw new IllegalStateException("Kafka Streams would refuse the plan: " + error);
        }
        return new Outcome(assignment, settings.assignor(), group.taskCount(), group.processCount(), plan.stats(),
                next.revokes(), next.followup(), Optional.of(plan.followup()).filter(Followup::needed).map(Followup::reason),
                fault(plan.report()), Optional.of(recorded));
    }

    static Outcome kept(ApplicationState application, String assignor, Throwable fault) {
        Map<ProcessId, KafkaStreamsState> states = application.kafkaStreamsStates(false);
        return new Outcome(KeepOwners.of(application), assignor, application.allTasks().size(), states.size(),
                Stats.NONE, false, Optional.empty(), Optional.empty(), Optional.of(fault.toString()), Optional.empty());
    }

    private static Optional<String> fault(Report report) {
        if (!report.fallback()) {
            return Optional.empty();
        }
        return Optional.of(report.status() + (report.rule() == 0 ? "" : " R" + report.rule()) + ": " + report.text());
    }

    AssignmentEvent event(AssignorSettings settings, Duration elapsed) {
        return new AssignmentEvent(assignor, tasks, processes, stats.learners(), stats.moves(),
                stats.minMoves(), revokes, followup, settings.maxLearners(), fault, elapsed,
                stats.heldBack(), recorded.map(whole -> whole.plan().decisions()).orElse(List.of()));
    }

    /** @param info empty where nobody could be asked */
    LedRound round(Instant at, Optional<AssignorInfo> info) {
        return new LedRound(led(at, info), recorded);
    }

    private Led led(Instant at, Optional<AssignorInfo> info) {
        return new Led(at, assignor, info.map(AssignorInfo::pluginName).orElse(""),
                info.map(AssignorInfo::pluginVersion).orElse(""), fault, tasks, processes, stats.moves(),
                stats.minMoves(), stats.learners(), followup, why);
    }
}
