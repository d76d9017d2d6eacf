// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.Optional;

/** What the consumers of one Kafka Streams instance share. Safe from any thread. */
record Member(
        HandOverConfig config,
        CopyBook book,
        HandOverPolicy policy,
        Rejoin rejoin,
        Haste haste,
        SourceTopics topics,
        Rounds rounds,
        Owned owned,
        Wanted wanted,
        Leadership leadership) {
    static Member of(HandOverConfig config, CopyBook book, Haste haste) {
        return new Member(config, book, new HandOverPolicy(config), new Rejoin(), haste, new SourceTopics(),
                new Rounds(), new Owned(), new Wanted(), new Leadership());
    }

    Optional<String> requestDue(long now) {
        return wanted.take().or(() -> policy.due(book, now));
    }

    void roundEnded(long now) {
        policy.roundEnded(now);
        rounds.end(now);
    }

    long heartbeatMs() {
        return config.heartbeatMs();
    }
}
