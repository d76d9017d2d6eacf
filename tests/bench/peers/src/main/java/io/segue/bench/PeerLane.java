// SPDX-License-Identifier: Apache-2.0
package io.segue.bench;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** A peer in this JVM. What other threads collect and compile meanwhile is not counted. */
final class PeerLane implements Lane {
    private static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();

    private final Peer peer;
    private final Work work;
    private Object input;
    private Object output;

    PeerLane(Peer peer, Work work) {
        this.peer = peer;
        this.work = work;
        input = peer.prepare(work);
    }

    @Override
    public long[] time(int calls) {
        long[] taken = new long[calls];
        for (int call = 0; call < calls; call++) {
            if (peer.consumes()) {
                input = peer.prepare(work);
            }
            long start = CLOCK.getCurrentThreadCpuTime();
            output = peer.run(input);
            taken[call] = CLOCK.getCurrentThreadCpuTime() - start;
        }
        return taken;
    }

    /** Until the just-in-time compiler has seen enough of it. */
    @Override
    public double warmUpNs() {
        return 1e9;
    }

    @Override
    public String outcome() {
        int[] owners = peer.owners(work, input, output);
        return "\"moves\": " + work.moves(owners) + ", \"spread\": " + work.spread(owners);
    }
}
