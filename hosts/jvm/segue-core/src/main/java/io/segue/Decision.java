// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.util.Optional;

/**
 * Why a task goes, stays or waits.
 *
 * @param task the task's id
 * @param kind a stable word: {@code keep-back}, {@code learn}, {@code hand-over}, {@code place}, {@code force},
 *     {@code standby} or {@code drop}
 * @param reason a stable word such as {@code below-quota}
 * @param from the member that it concerns as the giving one
 * @param to the member that it concerns as the taking one
 * @param text the sentence for people
 * @since 1.0
 */
public record Decision(
        String task, String kind, String reason, Optional<String> from, Optional<String> to, String text) {}
