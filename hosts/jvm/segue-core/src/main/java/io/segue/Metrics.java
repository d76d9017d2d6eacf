// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What an instance of {@link Segue} has counted since it was opened.
 *
 * @param plans calls that were answered with a plan
 * @param fallbacks of them, by the fallback; the six that follow say why
 * @param errors the assignor answered with a fault
 * @param refused its plan broke a rule
 * @param late it did not come back within its budget and half a second
 * @param died its process ended, or talked nonsense
 * @param unstarted no process or thread could be started for it
 * @param passedOver it had been put aside
 * @param aside assignors that are put aside now
 * @param started processes started for plugins
 * @param processes of them, those that are there now
 * @param threads threads that were given up and have not come back
 * @since 1.0
 */
public record Metrics(
        long plans,
        long fallbacks,
        long errors,
        long refused,
        long late,
        long died,
        long unstarted,
        long passedOver,
        long aside,
        long started,
        long processes,
        long threads) {
    static final int WORDS = 12;

    /** Nothing counted. */
    public static final Metrics NONE = new Metrics(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    /** @param words as the native part writes them */
    static Metrics of(long[] words) {
        return new Metrics(words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7], words[8],
                words[9], words[10], words[11]);
    }

    /** By their names, in their order. */
    public Map<String, Long> byName() {
        Map<String, Long> counts = new LinkedHashMap<>();
        counts.put("plans", plans);
        counts.put("fallbacks", fallbacks);
        counts.put("errors", errors);
        counts.put("refused", refused);
        counts.put("late", late);
        counts.put("died", died);
        counts.put("unstarted", unstarted);
        counts.put("passedOver", passedOver);
        counts.put("aside", aside);
        counts.put("started", started);
        counts.put("processes", processes);
        counts.put("threads", threads);
        return counts;
    }

    /** Those of both together. */
    public Metrics plus(Metrics other) {
        return new Metrics(plans + other.plans, fallbacks + other.fallbacks, errors + other.errors,
                refused + other.refused, late + other.late, died + other.died, unstarted + other.unstarted,
                passedOver + other.passedOver, aside + other.aside, started + other.started,
                processes + other.processes, threads + other.threads);
    }
}
