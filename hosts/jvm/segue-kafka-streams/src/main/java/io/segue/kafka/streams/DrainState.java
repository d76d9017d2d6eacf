// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/**
 * How far an instance is with leaving.
 *
 * @param phase what it is at
 * @param since when it was marked; empty when it is not
 * @param deadline when its tasks are forced away; empty for never, or when it is not marked
 * @param tasksLeft tasks that it still owns
 * @since 2.0
 */
public record DrainState(Phase phase, Optional<Instant> since, Optional<Instant> deadline, int tasksLeft) {
    /**
     * What an instance is at.
     *
     * @since 2.0
     */
    public enum Phase {
        /** Not marked. */
        RUNNING,
        /** Marked, and others learn or take over what it has. */
        DRAINING,
        /** Marked and without tasks; it stays because it was told to. */
        EMPTY,
        /** Closing, or closed. */
        STOPPING;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Whether the process can be ended without anybody's waiting for its tasks. */
    public boolean readyToStop() {
        return phase == Phase.EMPTY || phase == Phase.STOPPING && tasksLeft == 0;
    }

    static DrainState of(Phase phase, Optional<Mark> mark, int tasksLeft) {
        return new DrainState(
                phase, mark.map(Mark::sinceMs).map(Instant::ofEpochMilli),
                mark.map(Mark::deadlineMs)
                        .filter(at -> at.isPresent())
                        .map(at -> Instant.ofEpochMilli(at.getAsLong())),
                tasksLeft);
    }
}
