// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.util.Collection;
import java.util.Optional;
import java.util.Set;

import io.segue.kafka.streams.AssignmentEvent;

/**
 * One rebalance as its members saw it.
 *
 * @param plan what segue said of it; empty where Kafka's own assignor led
 * @param row its line, whose figures follow when the run is over
 * @param shares how many tasks each owner had when it began
 * @param members instances that were up
 * @param joined members that have never been in an earlier one
 */
record Round(
        long atNanos,
        Optional<AssignmentEvent> plan,
        EventRow row,
        Collection<Integer> shares,
        int members,
        Set<String> joined) {
}
