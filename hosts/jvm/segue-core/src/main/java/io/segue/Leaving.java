// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.util.Objects;
import java.util.OptionalLong;

/**
 * The mark of a member that is to be emptied.
 *
 * @param sinceMs when it was marked, by the leader's clock, in milliseconds
 * @param deadlineMs when its tasks are forced away, likewise; empty for never
 * @since 1.0
 */
public record Leaving(long sinceMs, OptionalLong deadlineMs) {
    /** Keeps what is given. */
    public Leaving {
        Objects.requireNonNull(deadlineMs, "deadlineMs");
    }
}
