// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What an instance publishes of itself, written when there is news and every minute. For one thread. */
final class OwnPresence {
    private static final Logger LOG = LoggerFactory.getLogger(OwnPresence.class);
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final long RENEWAL_MS = 60_000;

    private final SideGroups groups;
    private final Presence who;
    private final Supplier<List<String>> topics;
    private final Complaints complaints;
    private Optional<Presence.Now> written = Optional.empty();
    private long writtenAt;

    OwnPresence(SideGroups groups, Presence who, Supplier<List<String>> topics) {
        this.groups = groups;
        this.who = who;
        this.topics = topics;
        this.complaints = new Complaints(groups.prefix());
    }

    /** Until the instance has subscribed there is nowhere to write to, and nothing to tell. */
    void publish(Presence.Now now, long wallMs) throws InterruptedException {
        if (topics.get().isEmpty() || !due(now, wallMs)) {
            return;
        }
        try {
            groups.write(groups.presence(who.instance()), who.json(now, wallMs), topics.get(), TIMEOUT);
            written = Optional.of(now);
            writtenAt = wallMs;
            complaints.worked("publish this instance's presence");
        } catch (ExecutionException | TimeoutException fault) {
            Throwable cause = fault instanceof ExecutionException ? fault.getCause() : fault;
            complaints.failed("publish this instance's presence", "tools do not see it", cause);
        }
    }

    private boolean due(Presence.Now now, long wallMs) {
        return written.isEmpty() || wallMs - writtenAt >= RENEWAL_MS || news(written.get(), now);
    }

    /** The lag of a copy that has caught up is never still and tells nobody anything. */
    private static boolean news(Presence.Now before, Presence.Now now) {
        boolean catchingUp = now.ready() < now.copies() && before.lag() != now.lag();
        return catchingUp || before.phase() != now.phase() || before.active() != now.active()
                || before.copies() != now.copies() || before.ready() != now.ready()
                || !before.mark().equals(now.mark())
                || !before.choice().equals(now.choice()) || !before.led().equals(now.led());
    }

    void delete(Duration most) throws InterruptedException {
        try {
            groups.delete(List.of(groups.presence(who.instance())), most);
        } catch (ExecutionException | TimeoutException fault) {
            LOG.debug("The presence of {} stays until it expires: {}", who.instance(), fault.getMessage());
        }
    }
}
