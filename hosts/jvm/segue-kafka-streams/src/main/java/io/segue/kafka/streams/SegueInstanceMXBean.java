// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;


/**
 * The same as {@link SegueInstance} for JMX, as
 * {@code io.segue.kafka.streams:type=Instance,application="…",instance="<process id>"}.
 *
 * @since 2.0
 */
public interface SegueInstanceMXBean {
    /** {@code running}, {@code draining}, {@code empty} or {@code stopping}. */
    String getState();

    /** When it was marked, in milliseconds since 1970; 0 when it is not. */
    long getSinceMs();

    /** When its tasks are forced away, likewise; 0 for never. */
    long getDeadlineMs();

    /** Tasks that it still owns. */
    int getTasksLeft();

    /** Whether the process can be ended without anybody's waiting for its tasks. */
    boolean isReadyToStop();

    /** Marks the instance as leaving; 0 or less for no deadline. Returns at once. */
    void drain(long timeoutMs);

    /** Takes the mark back. Returns at once. */
    void cancelDrain();
}
