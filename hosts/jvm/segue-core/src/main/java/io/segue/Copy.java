// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.util.Objects;
import java.util.OptionalLong;

/**
 * What one member holds of one task.
 *
 * @param task the task's id; a copy of a task that the group does not have is ignored
 * @param role how it is held
 * @param lag records still to replay, 0 or more; empty when the member could not say. For an owner that is
 *     {@link #of(String, Role) not restoring} it is 0
 * @since 1.0
 */
public record Copy(String task, Role role, OptionalLong lag) {
    /** Refuses a lag below 0. */
    public Copy {
        Objects.requireNonNull(task, "task");
        Objects.requireNonNull(role, "role");
        if (lag.isPresent() && lag.getAsLong() < 0) {
            throw new IllegalArgumentException("copy of " + task + ": lag " + lag.getAsLong() + " is below 0");
        }
    }

    /** A copy with a known lag. */
    public static Copy of(String task, Role role, long lag) {
        return new Copy(task, role, OptionalLong.of(lag));
    }

    /** A copy with its role's usual lag: 0 for an owner, unknown for all others. */
    public static Copy of(String task, Role role) {
        return new Copy(task, role, role == Role.ACTIVE ? OptionalLong.of(0) : OptionalLong.empty());
    }
}
