// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/** All instances of an application, by what they have published. Blocks; for one thread. */
record Roster(SideGroups groups) {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    /** The one that led the last rebalance; empty where nobody says so. */
    Optional<Seen> leader(long wallMs) throws ExecutionException, InterruptedException, TimeoutException {
        return groups.read(groups.presences(TIMEOUT), TIMEOUT, (group, cause) -> { }).values().stream()
                .flatMap(entries -> SideGroups.newest(
                        entries.stream().flatMap(entry -> Seen.parse(entry.text()).stream()).toList(), Seen::atMs)
                        .stream())
                .filter(seen -> seen.leads(wallMs))
                .max(Comparator.comparingLong(Seen::ledAtMs));
    }
}
