// SPDX-License-Identifier: Apache-2.0
package io.segue;

/**
 * Numbers of a plan.
 *
 * @param moves owned tasks that change their owner now
 * @param minMoves the least number of such moves that reaches the balanced target from here
 * @param learners learners in flight after this rebalance
 * @param extraMoves moves beyond {@code minMoves} that the targets take to buy traffic, imbalance or spread
 * @param spread largest minus smallest number of owned tasks for each thread among the members that stay
 * @param imbalance largest distance of a member's weight from its share, in percent of it; 0 where weights do not count
 * @param minImbalance proven lower bound of {@code imbalance}
 * @param traffic input partitions that the targets read from another rack; 0 where racks are not known
 * @param minTraffic proven lower bound of {@code traffic}; 0 where it was not asked for
 * @param heldBack tasks that should be learned and wait for a slot under a cap
 * @param optimal false when the time budget ended and this is the best plan so far
 * @since 1.0
 */
public record Stats(
        int moves,
        int minMoves,
        int learners,
        int extraMoves,
        double spread,
        double imbalance,
        double minImbalance,
        long traffic,
        long minTraffic,
        int heldBack,
        boolean optimal) {

    /** Nothing moves, nothing is known. */
    public static final Stats NONE = new Stats(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, false);
}
