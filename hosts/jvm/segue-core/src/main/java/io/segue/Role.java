// SPDX-License-Identifier: Apache-2.0
package io.segue;

/**
 * What a member holds of a task. The order is that of strength: of two claims of one member the stronger counts.
 *
 * @since 1.0
 */
public enum Role {
    /** State on disk that nobody updates. */
    DORMANT,
    /** A replica that follows its owner. */
    STANDBY,
    /** A replica that is being built in order to own the task. */
    LEARNER,
    /** The owner. */
    ACTIVE
}
