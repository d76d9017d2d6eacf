// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

/**
 * Hears of each assignment that this JVM decides as a group's leader; see {@link SegueTaskAssignor#listen}.
 *
 * @since 1.0
 */
@FunctionalInterface
public interface AssignmentListener {
    /** Called on the stream thread: must not block. */
    void onAssignment(AssignmentEvent event);

    /**
     * Ends the listening when closed.
     *
     * @since 1.0
     */
    interface Registration extends AutoCloseable {
        @Override
        void close();
    }
}
