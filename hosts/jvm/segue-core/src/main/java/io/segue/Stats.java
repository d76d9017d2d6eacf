// SPDX-License-Identifier: Apache-2.0
package io.segue;

/**
 * Numbers of a plan.
 *
 * @param moves owned tasks that change their owner now
 * @param minMoves the least number of such moves that reaches the balanced target from here
 * @param learners learners in flight after this rebalance
 * @param spread largest minus smallest number of owned tasks for each thread among the members that stay
 * @param optimal false when the time budget ended and this is the best plan so far
 * @since 1.0
 */
public record Stats(int moves, int minMoves, int learners, double spread, boolean optimal) {}
