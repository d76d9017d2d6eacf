// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one instance to the assignor that the application is told to use: notices a swap, and asks for the rebalance
 * where this instance led the last one. For one thread, but for {@link #choice}.
 */
final class Swapper {
    private static final Logger LOG = LoggerFactory.getLogger(Swapper.class);
    private static final int LONGEST_BACKOFF = 16;
    private static final long RENEWAL_MS = 24L * 60 * 60 * 1000;

    private final SideEntry<Swap> wish;
    private final List<String> offered;
    private final Leadership leadership;
    private final long heartbeatMs;
    private volatile Choice choice;
    private Optional<Swap> seen = Optional.empty();
    private boolean looked;
    private long asked;
    private long nextAskAt;
    private long writtenAt;

    Swapper(SideEntry<Swap> wish, String configured, List<String> offered, Leadership leadership, long heartbeatMs) {
        this.wish = wish;
        this.offered = offered;
        this.leadership = leadership;
        this.heartbeatMs = heartbeatMs;
        choice = Choice.of(configured, offered, Optional.empty());
    }

    /** Safe from any thread. */
    Choice choice() {
        return choice;
    }

    /**
     * To be called after each look, and after each change of its own.
     *
     * @param now of a monotonic clock
     * @return why a rebalance is to be asked for, if it is
     */
    Optional<String> next(long now) {
        boolean news = !wish.known().equals(seen);
        if (news) {
            notice(now);
        }
        boolean change = news && looked;
        looked = true;
        Optional<Led> led = leadership.last();
        boolean other = led.isPresent() && !led.get().assignor().equals(choice.assignor());
        return led.isPresent() && change || other && now >= nextAskAt ? Optional.of(asking(now)) : Optional.empty();
    }

    private void notice(long now) {
        seen = wish.known();
        choice = Choice.of(choice.configured(), offered, seen);
        asked = 0;
        nextAskAt = now;
        writtenAt = now;
        String by = seen.map(Swap::by).orElse("");
        if (choice.refused().isPresent()) {
            LOG.warn("There is no assignor {} here, which {} wishes for: this instance goes on with {}; there are {}",
                    choice.refused().get(), by, choice.assignor(), String.join(", ", offered));
        } else if (seen.isPresent()) {
            LOG.info("From the next rebalance on {} assigns, as {} wishes", choice.assignor(), by);
        } else {
            LOG.info("From the next rebalance on {} assigns, as configured", choice.assignor());
        }
    }

    /** The round that was asked for may be the one already under way, whose leader has read the wish before. */
    private String asking(long now) {
        nextAskAt = now + 2 * heartbeatMs * Math.min(LONGEST_BACKOFF, 1L << Math.min(asked, 30));
        asked++;
        return "segue: " + choice.assignor() + " is to assign";
    }

    /** A side group that nobody writes to expires; to be called when the wish has just been read. */
    void renew(long now) throws ExecutionException, InterruptedException, TimeoutException {
        if (seen.isPresent() && leadership.last().isPresent() && now - writtenAt >= RENEWAL_MS) {
            writtenAt = now;
            wish.write(seen.get());
        }
    }
}
