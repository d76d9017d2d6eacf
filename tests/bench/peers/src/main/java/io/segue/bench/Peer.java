// SPDX-License-Identifier: Apache-2.0
package io.segue.bench;

/** One of Kafka's assignors. Only {@link #run} is timed. */
interface Peer {
    /** The input in Kafka's own types, as Kafka's caller hands it over. */
    Object prepare(Work work);

    Object run(Object input);

    /** By task: its member. */
    int[] owners(Work work, Object input, Object output);

    /** {@link #run} writes into its input: a new one is made for each call. */
    default boolean consumes() {
        return false;
    }
}
