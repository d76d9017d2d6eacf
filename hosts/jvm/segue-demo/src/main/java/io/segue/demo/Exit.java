// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.time.Duration;
import java.util.Locale;

import io.segue.kafka.streams.Segue;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.CloseOptions.GroupMembershipOperation;

/** The ways in which an instance can be taken out of work. */
enum Exit {
    /** Marked as leaving; it goes when others have learned what it serves. */
    DRAIN("is marked as leaving") {
        @Override
        void begin(Instance instance, Journal journal) {
            journal.mark(instance.name(), DRAIN_TIMEOUT);
            Segue.of(instance.streams()).drain(DRAIN_TIMEOUT);
        }
    },
    /** Closed, and the group is told at once. */
    LEAVE("is closed and leaves the group") {
        @Override
        void begin(Instance instance, Journal journal) {
            journal.down(instance.name(), true);
            instance.streams()
                    .close(CloseOptions.timeout(CLOSE_TIMEOUT)
                            .withGroupMembershipOperation(GroupMembershipOperation.LEAVE_GROUP));
        }
    },
    /** As an ordinary shutdown hook does it: the group finds out when the session times out. */
    CLOSE("is closed, as a plain shutdown does it: its tasks wait for its session to time out, 45 s") {
        @Override
        void begin(Instance instance, Journal journal) {
            journal.down(instance.name(), false);
            instance.streams().close(CLOSE_TIMEOUT);
        }
    };

    private static final Duration DRAIN_TIMEOUT = Duration.ofMinutes(10);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(20);

    private final String sentence;

    Exit(String sentence) {
        this.sentence = sentence;
    }

    static Exit of(String label) {
        for (Exit way : values()) {
            if (way.label().equals(label)) {
                return way;
            }
        }
        throw new UsageException("--ways " + label + " is unknown; there are drain, leave and close");
    }

    /** May return before the instance has stopped. */
    abstract void begin(Instance instance, Journal journal);

    String sentence() {
        return sentence;
    }

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
