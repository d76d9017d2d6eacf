// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;


/**
 * How a drain ended.
 *
 * @since 2.0
 */
public enum DrainResult {
    /** All tasks were handed over in time. The instance has left the group, unless it was told to stay. */
    EMPTIED,
    /**
     * The deadline passed first and what was left was forced away, or nobody took it. The instance has left the group
     * if it is empty now, unless it was told to stay.
     */
    TIMED_OUT,
    /** The mark was taken back, here or by somebody else. */
    CANCELLED,
    /** The instance was closed, or failed, before it was empty. */
    INTERRUPTED
}
