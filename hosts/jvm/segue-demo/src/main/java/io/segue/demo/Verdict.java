// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.util.Locale;

/**
 * The outcome of the comparison of everything written with everything sent.
 *
 * @param records input records whose output was looked for
 * @param lost records without an output
 * @param doubled outputs beyond the first of a record
 * @param miscounted outputs whose count is not the one the input implies
 * @param keys keys whose final state was looked at
 * @param wrongKeys keys whose final count or payload differs
 * @param activeTwice a task was open on two threads at the same time
 */
record Verdict(
        long records, long lost, long doubled, long miscounted, long keys, long wrongKeys, boolean activeTwice) {
    boolean good() {
        return lost == 0 && doubled == 0 && miscounted == 0 && wrongKeys == 0 && !activeTwice && records > 0;
    }

    String sentence() {
        return String.format(
                Locale.ROOT,
                "%,d records checked one by one: %,d lost, %,d counted twice, %,d miscounted;"
                        + " %,d keys in state, %,d wrong; %s",
                records, lost, doubled, miscounted, keys, wrongKeys,
                activeTwice ? "A TASK WAS ACTIVE TWICE" : "no task active twice");
    }
}
