// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.util.List;

/**
 * What one instance's joining or going cost.
 *
 * @param from instances before
 * @param to instances after
 * @param gapsMs for each partition the longest silence at its processor
 * @param outputGapsMs the same at the output topic
 * @param vacanciesMs for each partition the longest time without any open task
 * @param moved owner changes; a partition that moved twice counts twice
 * @param leastMoves the least number of owner changes that does it
 * @param copiesBuilt tasks whose state was copied to another instance
 * @param settledMs from the start of it to the last hand-over
 */
record EventResult(
        int from,
        int to,
        List<Long> gapsMs,
        List<Long> outputGapsMs,
        List<Long> vacanciesMs,
        List<HandOver> handOvers,
        int moved,
        int leastMoves,
        long rebalances,
        int copiesBuilt,
        long settledMs) {

    long longestGapMs() {
        return gapsMs.stream().mapToLong(Long::longValue).max().orElse(0);
    }

    long longestOutputGapMs() {
        return outputGapsMs.stream().mapToLong(Long::longValue).max().orElse(0);
    }
}
