// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.util.EnumSet;
import java.util.Set;

/** Points at which an instance can be held up, so that a test meets it there. Safe from any thread. */
final class Gates {
    private final Set<Gate> closed = EnumSet.noneOf(Gate.class);

    /** What waits while the gate is closed. */
    enum Gate {
        /** The look for a mark on the instance itself. */
        LOOK,
        /** Every restore, so that a copy learns nothing. */
        RESTORE,
        /** The wish for a hand-over to what is caught up here. */
        ASK,
        /** The leaver's wish for a rebalance, once the one that its mark brought is over. */
        REMIND,
        /** Joining again after a task was given up. */
        REJOIN,
        /** Removing the instance's own mark. */
        CLEAR
    }

    synchronized void close(Gate gate) {
        closed.add(gate);
    }

    synchronized void open(Gate gate) {
        closed.remove(gate);
        notifyAll();
    }

    synchronized boolean isClosed(Gate gate) {
        return closed.contains(gate);
    }

    synchronized void pass(Gate gate) throws InterruptedException {
        while (closed.contains(gate)) {
            wait();
        }
    }
}
