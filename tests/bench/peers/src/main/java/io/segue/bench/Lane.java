// SPDX-License-Identifier: Apache-2.0
package io.segue.bench;

/** One assignor on one group, ready to be called. */
interface Lane extends AutoCloseable {
    /** Nanoseconds of processor time, of the thread that calls, for each of so many calls. */
    long[] time(int calls);

    /** What came out of the last call: moves and spread, as members of a JSON object. Ends the lane. */
    String outcome();

    /** For how long it has to run before it is at its best. */
    double warmUpNs();

    @Override
    default void close() {}
}
