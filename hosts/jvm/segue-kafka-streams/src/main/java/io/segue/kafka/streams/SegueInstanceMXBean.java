// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;


import java.util.Map;

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

    /** The assignor that it would ask if it led now. */
    String getAssignor();

    /** What {@code segue.assignor} says. */
    String getConfiguredAssignor();

    /** The assignor that is wished for, if this instance does not have it; else empty. */
    String getRefusedAssignor();

    /** The last rebalance in which it took part, by the names of {@link Led}, if it was the leader of that; else empty. */
    Map<String, String> getLed();

    /** How plans in this process came about, by the names of {@link io.segue.Metrics}. */
    Map<String, Long> getPlans();

    /** Asks assignors of this process that were put aside again, and forgets their faults. */
    void reinstate();

    /** Marks the instance as leaving; 0 or less for no deadline. Returns at once. */
    void drain(long timeoutMs);

    /** Takes the mark back. Returns at once. */
    void cancelDrain();

    /** Tells the whole application to be assigned by another assignor. Returns at once. */
    void swap(String assignor);

    /** Takes that back. Returns at once. */
    void swapBack();
}
