// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalLong;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** The JSON documents of side groups, format version 1; MARKS.md has the format. Safe from any thread. */
final class Documents {
    /** A broker keeps 4,096 bytes of an offset's metadata unless it is told otherwise. */
    static final int MOST_BYTES = 3_500;

    /** Beyond this no time is meant, and sums of a few stay in range. */
    static final long GREATEST = 1L << 53;

    private static final int VERSION = 1;
    /** What follows a document makes it none, as for the program {@code segue}. */
    private static final ObjectMapper JSON =
            new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private Documents() {}

    static ObjectNode start(String kind) {
        return JSON.createObjectNode().put("v", VERSION).put("kind", kind);
    }

    static ObjectNode start(String kind, String instance) {
        return start(kind).put("instance", instance);
    }

    /** Leaves the optional fields out, from the last, until the document is small enough. */
    static String text(ObjectNode document, String... optional) {
        String text = document.toString();
        for (int i = optional.length; i > 0 && bytes(text) > MOST_BYTES; i--) {
            document.remove(optional[i - 1]);
            text = document.toString();
        }
        return text;
    }

    /** Empty for what is no document of this kind and version; foreign text must not stop anybody. */
    static Optional<JsonNode> parse(String text, String kind) {
        if (text == null || text.isBlank()) {
            return Optional.empty();
        }
        try {
            JsonNode node = JSON.readTree(text);
            boolean known = node != null && node.isObject() && number(node, "/v").orElse(GREATEST) <= VERSION
                    && string(node, "/kind").filter(kind::equals).isPresent();
            return known ? Optional.of(node) : Optional.empty();
        } catch (JsonProcessingException fault) {
            return Optional.empty();
        }
    }

    /** A time or a count; empty for what is neither, as the program {@code segue} reads it too. */
    static OptionalLong number(JsonNode document, String pointer) {
        JsonNode node = document.at(pointer);
        boolean known = node.isIntegralNumber() && node.canConvertToLong() && node.asLong() >= 0
                && node.asLong() <= GREATEST;
        return known ? OptionalLong.of(node.asLong()) : OptionalLong.empty();
    }

    /** Empty where there is no text, whatever else there is, as for the program {@code segue}. */
    static Optional<String> string(JsonNode document, String pointer) {
        return Optional.ofNullable(document.at(pointer).textValue());
    }

    /** Empty for what is no object; the caller says so. */
    static Optional<JsonNode> object(String text) {
        try {
            return Optional.ofNullable(JSON.readTree(text)).filter(JsonNode::isObject);
        } catch (JsonProcessingException fault) {
            return Optional.empty();
        }
    }

    static JsonNode tree(Object value) {
        return JSON.valueToTree(value);
    }

    static ObjectNode object() {
        return JSON.createObjectNode();
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
