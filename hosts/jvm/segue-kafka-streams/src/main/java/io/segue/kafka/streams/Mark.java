// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.segue.Leaving;

/**
 * What is written of an instance that is to leave.
 *
 * @param instance its process id
 * @param sinceMs when it was marked
 * @param deadlineMs when its tasks are forced away; empty where only the application's configuration can say
 * @param stay whether it stays in the group when it is empty
 * @param by who marked it, for people
 */
record Mark(String instance, long sinceMs, OptionalLong deadlineMs, boolean stay, String by) {
    private static final String KIND = "leaving";

    static Mark now(String instance, long nowMs, Optional<Duration> timeout, boolean stay, String by) {
        return new Mark(instance, nowMs, deadline(nowMs, timeout), stay, by);
    }

    /** Marked again: since then as before, but the newer deadline counts. */
    Mark again(long nowMs, Optional<Duration> timeout, boolean stays) {
        return new Mark(instance, sinceMs, timeout.isPresent() ? deadline(nowMs, timeout) : deadlineMs, stays, by);
    }

    /** The deadline that counts where the application has a timeout for all. */
    Mark within(OptionalLong timeoutMs) {
        return deadlineMs.isPresent() || timeoutMs.isEmpty()
                ? this
                : new Mark(instance, sinceMs, OptionalLong.of(plus(sinceMs, timeoutMs.getAsLong())), stay, by);
    }

    boolean overdue(long nowMs) {
        return deadlineMs.isPresent() && deadlineMs.getAsLong() <= nowMs;
    }

    Leaving leaving() {
        return new Leaving(sinceMs, deadlineMs);
    }

    String json() {
        ObjectNode document = Documents.start(KIND, instance).put("since_ms", sinceMs);
        deadlineMs.ifPresent(at -> document.put("deadline_ms", at));
        return Documents.text(document.put("stay", stay).put("by", by), "by");
    }

    static Optional<Mark> parse(String text) {
        return Documents.parse(text, KIND).flatMap(Mark::of);
    }

    private static Optional<Mark> of(JsonNode node) {
        OptionalLong since = Documents.number(node, "/since_ms");
        return since.isEmpty()
                ? Optional.empty()
                : Optional.of(new Mark(
                        Documents.string(node, "/instance").orElse(""), since.getAsLong(),
                        Documents.number(node, "/deadline_ms"), node.path("stay").booleanValue(),
                        Documents.string(node, "/by").orElse("")));
    }

    private static OptionalLong deadline(long nowMs, Optional<Duration> timeout) {
        return timeout.map(span -> OptionalLong.of(plus(nowMs, millis(span)))).orElse(OptionalLong.empty());
    }

    private static long millis(Duration span) {
        return span.compareTo(Duration.ofMillis(Long.MAX_VALUE)) >= 0 ? Long.MAX_VALUE : Math.max(0, span.toMillis());
    }

    private static long plus(long from, long span) {
        return span > Documents.GREATEST - from ? Documents.GREATEST : from + span;
    }
}
