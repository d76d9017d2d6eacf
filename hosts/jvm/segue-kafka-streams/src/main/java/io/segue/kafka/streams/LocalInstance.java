// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.time.Duration;

/** What a drain needs of the Kafka Streams instance it belongs to. Safe from any thread. */
interface LocalInstance {
    /** Tasks that it owns. */
    int active();

    /** At work, and in no rebalance. */
    boolean running();

    /** Closing, closed or failed. */
    boolean ended();

    /** Closed or failed: its consumers are gone, and have left the group where they were to. */
    boolean closed();

    /** Closes and leaves the group, a static member as well. Blocks; false if it took longer than that. */
    boolean leave(Duration timeout);
}
