// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.util.Objects;
import java.util.Set;

/**
 * A partition that a task reads.
 *
 * @param topic the topic's name
 * @param partition its number, 0 or more
 * @param racks the racks where a replica of it lives; empty when unknown
 * @since 1.0
 */
public record InputPartition(String topic, int partition, Set<String> racks) {
    /** Copies what is given. */
    public InputPartition {
        Objects.requireNonNull(topic, "topic");
        racks = Set.copyOf(racks);
    }
}
