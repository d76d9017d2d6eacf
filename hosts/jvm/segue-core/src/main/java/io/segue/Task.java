// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * A unit of work: one partition of one subtopology.
 *
 * @param subtopology the subtopology's name, usually a decimal number
 * @param partition the number inside the subtopology, 0 or more
 * @param stateful whether it owns state that has to be replayed before it can move
 * @param weight relative cost of processing, above 0
 * @param stateBytes size of the state in bytes; empty when unknown
 * @param inputs what it reads; empty when nothing is known of it
 * @since 1.0
 */
public record Task(
        String subtopology,
        int partition,
        boolean stateful,
        double weight,
        OptionalLong stateBytes,
        List<InputPartition> inputs) {

    /** Copies what is given; refuses a negative partition and a weight that is not above 0. */
    public Task {
        Objects.requireNonNull(subtopology, "subtopology");
        Objects.requireNonNull(stateBytes, "stateBytes");
        inputs = List.copyOf(inputs);
        if (partition < 0) {
            throw new IllegalArgumentException("task " + subtopology + "_" + partition + ": partition is below 0");
        }
        if (!(weight > 0) || Double.isInfinite(weight)) {
            throw new IllegalArgumentException(
                    "task " + subtopology + "_" + partition + ": weight " + weight + " is not above 0 and finite");
        }
    }

    /** A task with state, of weight 1, of which nothing else is known. */
    public static Task stateful(String subtopology, int partition) {
        return new Task(subtopology, partition, true, 1, OptionalLong.empty(), List.of());
    }

    /** A task without state, of weight 1, of which nothing else is known. */
    public static Task stateless(String subtopology, int partition) {
        return new Task(subtopology, partition, false, 1, OptionalLong.empty(), List.of());
    }

    /** The same task with another weight. */
    public Task withWeight(double newWeight) {
        return new Task(subtopology, partition, stateful, newWeight, stateBytes, inputs);
    }

    /** The same task with a known size of state, in bytes. */
    public Task withStateBytes(long bytes) {
        return new Task(subtopology, partition, stateful, weight, OptionalLong.of(bytes), inputs);
    }

    /** The same task with other inputs. */
    public Task withInputs(List<InputPartition> newInputs) {
        return new Task(subtopology, partition, stateful, weight, stateBytes, newInputs);
    }

    /** The name by which copies and plans call it: {@code subtopology_partition}. */
    public String id() {
        return subtopology + "_" + partition;
    }
}
