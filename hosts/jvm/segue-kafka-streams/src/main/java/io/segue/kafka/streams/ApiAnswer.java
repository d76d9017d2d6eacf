// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;


/**
 * What is answered over HTTP.
 *
 * @param status as HTTP numbers it
 * @param type the content's type
 * @param body as text
 */
record ApiAnswer(int status, String type, String body) {
    static ApiAnswer json(int status, Object document) {
        return new ApiAnswer(status, "application/json", document + "\n");
    }

    /** One sentence that says what is wrong. */
    static ApiAnswer fault(int status, String sentence) {
        return json(status, Documents.object().put("error", sentence));
    }
}
