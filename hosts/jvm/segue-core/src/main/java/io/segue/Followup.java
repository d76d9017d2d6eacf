// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.util.OptionalLong;

/**
 * Whether another rebalance is needed.
 *
 * @param needed whether it is
 * @param atMs when at the latest, by the leader's clock, in milliseconds; empty for "when a learner says it is ready"
 * @param reason why, as a stable word such as {@code learners-restoring}; {@code none} when it is not needed
 * @since 1.0
 */
public record Followup(boolean needed, OptionalLong atMs, String reason) {}
