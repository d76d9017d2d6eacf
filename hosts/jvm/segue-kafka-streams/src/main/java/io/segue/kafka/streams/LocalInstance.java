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

    /** Closes and leaves the group, a static member as well. Blocks; false if it took longer than that. */
    boolean leave(Duration timeout);
}
