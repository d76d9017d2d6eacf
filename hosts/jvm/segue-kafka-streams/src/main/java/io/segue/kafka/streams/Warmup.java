// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads what a first plan needs before the first rebalance does. Any member may become the leader in the middle of an
 * outage, and loading takes as long as many plans; so each does it once, beside its start, on a thread of its own.
 */
final class Warmup implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Warmup.class);

    private static final class Once {
        static {
            Thread thread = new Thread(new Warmup(), "segue-warmup");
            thread.setDaemon(true);
            thread.start();
        }

        private static void touch() {}
    }

    static void start() {
        Once.touch();
    }

    @Override
    public void run() {
        try {
            Outcome.planned(new WarmupApplication(), AssignorSettings.DEFAULTS, News.NONE);
        } catch (RuntimeException fault) {
            LOG.warn("This instance cannot assign tasks when it becomes the leader: {}", fault.getMessage());
        }
    }
}
