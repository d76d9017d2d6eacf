// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * Another instance, or this one, by what it has published.
 *
 * @param clientId what people know it by
 * @param atMs when it wrote that; -1 where it does not say so
 * @param assignor what it would use if it led now
 * @param configured what it would use if nothing were wished for
 * @param refused what is wished for and it does not have
 * @param offered what it has
 * @param ledAtMs when it computed the last rebalance; -1 where it did not
 * @param ledAssignor what it used for that
 */
record Seen(
        String clientId,
        long atMs,
        String assignor,
        String configured,
        Optional<String> refused,
        List<String> offered,
        long ledAtMs,
        String ledAssignor) {
    private static final long FRESH_MS = 180_000;

    static Optional<Seen> parse(String text) {
        return Documents.parse(text, Presence.KIND).map(Seen::of);
    }

    private static Seen of(JsonNode node) {
        String assignor = Documents.string(node, "/assignor").orElse("");
        List<String> offered = new ArrayList<>();
        node.path("assignors").forEach(name -> Documents.string(name, "").ifPresent(offered::add));
        return new Seen(
                Documents.string(node, "/client_id").or(() -> Documents.string(node, "/instance")).orElse(""),
                Documents.number(node, "/at_ms").orElse(-1), assignor,
                Documents.string(node, "/configured").orElse(assignor),
                Documents.string(node, "/swap_refused").filter(name -> !name.isEmpty()), offered,
                Documents.number(node, "/led/at_ms").orElse(-1), Documents.string(node, "/led/assignor").orElse(""));
    }

    /** It is there, and says that it led. What comes from a time that is not yet would be the newest for ever. */
    boolean leads(long wallMs) {
        return isNear(atMs, wallMs) && ledAtMs >= 0 && ledAtMs < wallMs + FRESH_MS;
    }

    private static boolean isNear(long atMs, long wallMs) {
        return atMs >= 0 && Math.abs(wallMs - atMs) < FRESH_MS;
    }
}
