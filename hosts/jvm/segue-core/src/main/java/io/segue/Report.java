// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.time.Duration;
import java.util.OptionalInt;

/**
 * What happened to a plan on its way.
 *
 * @param fallback whether the plan is the fallback's: owners keep, tasks without one go to their best copy
 * @param status the assignor's status as a stable word, {@code ok} when nothing was wrong
 * @param rule the rule R1 to R9 that the refused plan broke, or 0
 * @param row the task or member, by its rank in canonical order, that broke it
 * @param text the sentence for people; empty when nothing was wrong
 * @param elapsed time inside the assignor
 * @param plugin the path of the plugin that has the assignor
 * @param faults the assignor's faults since it was opened or reinstated, this one among them
 * @param aside whether it is put aside: it is not asked until {@link Segue#reinstate(String)}
 * @since 1.0
 */
public record Report(
        boolean fallback, String status, int rule, OptionalInt row, String text, Duration elapsed,
        String plugin, long faults, boolean aside) {}
