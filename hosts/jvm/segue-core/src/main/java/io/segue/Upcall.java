// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What C calls: a group's message comes in, a plan's goes out. Nothing is thrown through C. */
final class Upcall {
    private static final System.Logger LOG = System.getLogger("io.segue");

    private final Assignor assignor;

    Upcall(Assignor assignor) {
        this.assignor = assignor;
    }

    /**
     * Called by segue_jni, on any thread.
     *
     * @param group direct, and gone when the call returns
     */
    ByteBuffer assign(ByteBuffer group) {
        try {
            Group rows = GroupDecoder.decode(group);
            Proposal proposal = assignor.assign(rows, configured(group));
            if (proposal == null) {
                throw new IllegalArgumentException("it answered with null");
            }
            return ProposalEncoder.encode(rows, proposal);
        } catch (Throwable thrown) {
            if (thrown instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            log(thrown);
            return ProposalEncoder.fault(thrown);
        }
    }

    /** A log that fails takes no reason from the report. */
    private void log(Throwable thrown) {
        try {
            LOG.log(System.Logger.Level.ERROR, "no plan of " + assignor.getClass().getName(), thrown);
        } catch (RuntimeException unlogged) {
            thrown.addSuppressed(unlogged);
        }
    }

    private static Configuration configured(ByteBuffer group) {
        List<String> pairs = NativeCall.texts((out, frame) -> Natives.configured(group, out, frame));
        Map<String, String> values = new HashMap<>();
        for (int at = 0; at + 1 < pairs.size(); at += 2) {
            values.put(pairs.get(at), pairs.get(at + 1));
        }
        return Configuration.of(values);
    }

    /** SEGUE_TRAIT_*. */
    int traits() {
        return (assignor.movesCold() ? 1 : 0) | (assignor.knowsLeaving() ? 2 : 0) | (assignor.loose() ? 4 : 0);
    }

    ByteBuffer texts(String name) {
        return Buffers.texts(List.of(name, assignor.version(), assignor.summary()));
    }
}
