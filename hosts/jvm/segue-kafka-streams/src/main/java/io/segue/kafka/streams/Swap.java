// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.Optional;
import java.util.OptionalLong;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * The wish that the whole application be assigned by another assignor than the configured one.
 *
 * @param name the assignor
 * @param sinceMs when it was wished for
 * @param by who wished, for people
 */
record Swap(String name, long sinceMs, String by) {
    private static final String KIND = "assignor";
    private static final int LONGEST_NAME = 100;

    /** Newer than the one before, even where that one's clock is ahead, unless no time is newer. */
    static Swap after(Optional<Swap> before, String name, String by) {
        long now = System.currentTimeMillis();
        long after = Math.max(now, before.map(Swap::sinceMs).orElse(0L) + 1);
        return new Swap(name, after <= Documents.GREATEST ? after : now, by);
    }

    String json() {
        return Documents.text(Documents.start(KIND).put("name", name).put("since_ms", sinceMs).put("by", by), "by");
    }

    /** Empty as well for what cannot be a name: it would be logged and published. */
    static Optional<Swap> parse(String text) {
        return Documents.parse(text, KIND).flatMap(Swap::of);
    }

    private static Optional<Swap> of(JsonNode node) {
        OptionalLong since = Documents.number(node, "/since_ms");
        return since.isEmpty()
                ? Optional.empty()
                : Documents.string(node, "/name").filter(Swap::isName)
                        .map(name -> new Swap(name, since.getAsLong(), Documents.string(node, "/by").orElse("")));
    }

    private static boolean isName(String text) {
        return !text.isEmpty() && text.length() <= LONGEST_NAME && text.chars().allMatch(c -> c > ' ' && c < 127);
    }
}
