// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import io.segue.Decision;

/**
 * One assignment, in numbers. Its text is the one line that is logged for each rebalance.
 *
 * @param assignor the strategy that was asked
 * @param tasks tasks of the application
 * @param processes Kafka Streams instances in the group
 * @param learners learners in flight after it
 * @param moves tasks that change their owner now
 * @param minMoves the least number of moves that reaches the balanced target from here
 * @param revokes whether a live owner has to give a task up first, so that another rebalance follows at once
 * @param followup when another rebalance follows at the latest
 * @param maxLearners the cap on learners that was in force, as {@code segue.max.learners} has it; empty for none
 * @param fault why the plan is not the assignor's own; empty when it is
 * @param elapsed time that the stream thread spent on it
 * @param heldBack tasks that should be learned and wait for a slot under a cap
 * @param decisions why each task that is concerned goes, stays or waits; members are named by their process id
 * @since 1.0
 */
public record AssignmentEvent(
        String assignor,
        int tasks,
        int processes,
        int learners,
        int moves,
        int minMoves,
        boolean revokes,
        Optional<Instant> followup,
        Optional<String> maxLearners,
        Optional<String> fault,
        Duration elapsed,
        int heldBack,
        List<Decision> decisions) {
    /** Copies what is given. */
    public AssignmentEvent {
        decisions = List.copyOf(decisions);
    }


    @Override
    public String toString() {
        return "assigned by " + assignor + ": tasks=" + tasks + " processes=" + processes + " learners=" + learners
                + " moves=" + moves + " min_moves=" + minMoves + " followup="
                + (revokes ? "at-once" : followup.map(Instant::toString).orElse("none"))
                + " max_learners=" + maxLearners.orElse("none") + " elapsed_us=" + elapsed.toNanos() / 1000
                + fault.map(text -> " fallback=\"" + text + "\"").orElse("");
    }
}
