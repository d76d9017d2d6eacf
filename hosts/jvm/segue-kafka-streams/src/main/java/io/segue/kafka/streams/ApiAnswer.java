// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.nio.charset.StandardCharsets;

/**
 * What is answered over HTTP.
 *
 * @param status as HTTP numbers it
 * @param type the content's type
 * @param content the body
 */
record ApiAnswer(int status, String type, byte[] content) {
    ApiAnswer(int status, String type, String body) {
        this(status, type, body.getBytes(StandardCharsets.UTF_8));
    }

    /** As text. */
    String body() {
        return new String(content, StandardCharsets.UTF_8);
    }

    static ApiAnswer json(int status, Object document) {
        return new ApiAnswer(status, "application/json", document + "\n");
    }

    /** One sentence that says what is wrong. */
    static ApiAnswer fault(int status, String sentence) {
        return json(status, Documents.object().put("error", sentence));
    }
}
