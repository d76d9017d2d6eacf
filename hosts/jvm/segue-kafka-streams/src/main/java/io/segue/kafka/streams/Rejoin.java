// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

/**
 * The group generation that all consumers of this process are to reach, so that none of them waits for its next
 * heartbeat to hear what a sibling knows already. Safe from any thread.
 */
final class Rejoin {
    private volatile Wish wish = new Wish(-1, "");

    /**
     * @param generation what is to be reached
     * @param reason for the log of client and broker
     */
    record Wish(int generation, String reason) {
    }

    Wish wish() {
        return wish;
    }

    /** A generation that a sibling has asked for already is asked for once. */
    synchronized void reach(int generation, String reason) {
        if (generation > wish.generation()) {
            wish = new Wish(generation, reason);
        }
    }

    /** The member fell out of the group, and generations may begin anew. */
    synchronized void forget() {
        wish = new Wish(-1, "");
    }
}
