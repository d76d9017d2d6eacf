// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One line of {@code events/1}. What is known only later is put in later.
 *
 * @param atNanos by the clock of {@link System#nanoTime}
 * @param fields beside the time, in the order in which they are written
 */
record EventRow(long atNanos, Map<String, Object> fields) {
    static EventRow of(long atNanos, String event) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("event", event);
        return new EventRow(atNanos, fields);
    }

    EventRow with(String key, Object value) {
        fields.put(key, value);
        return this;
    }

    String event() {
        return (String) fields.get("event");
    }
}
