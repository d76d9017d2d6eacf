// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import org.apache.kafka.streams.processor.TaskId;

/**
 * What an assignor decided.
 *
 * @param active the process of each task
 * @param copies standbys and warm-ups of each stateful task
 * @param again a later rebalance is asked for
 */
record Decided(Map<TaskId, Integer> active, Map<TaskId, Set<Integer>> copies, boolean again) {
    Set<Integer> holders(TaskId task) {
        Set<Integer> holders = new TreeSet<>(copies.get(task));
        holders.add(active.get(task));
        return holders;
    }
}
