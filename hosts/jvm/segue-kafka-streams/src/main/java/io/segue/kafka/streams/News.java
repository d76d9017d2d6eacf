// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.Map;
import java.util.Optional;

import org.apache.kafka.streams.processor.assignment.ProcessId;

import io.segue.Leaving;

/**
 * What the leader has to know beside what Kafka Streams tells it.
 *
 * @param leaving who is marked as leaving
 * @param swap the assignor that is wished for
 */
record News(Map<ProcessId, Leaving> leaving, Optional<Swap> swap) {
    static final News NONE = new News(Map.of(), Optional.empty());

    /** As it is for an assignor that may not heed marks. */
    Map<ProcessId, Leaving> leaving(String assignor) {
        return Settings.heedsMarks(assignor) ? leaving : Map.of();
    }
}
