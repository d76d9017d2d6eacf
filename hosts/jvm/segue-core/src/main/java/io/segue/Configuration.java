// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.util.Map;
import java.util.TreeMap;

/**
 * The configuration that a decision depends on, by Kafka's dotted names, as a properties file has it. Immutable.
 *
 * <p>Foreign keys are ignored. An unknown key under {@code segue.} and a value out of range are refused by
 * {@link Segue#check(Configuration)} and {@link Segue#assign(String, Group, Configuration)}; the message names the
 * nearest known key. Keys that were not set have their defaults.
 *
 * @since 1.0
 */
public final class Configuration {
    private static final Configuration DEFAULTS = new Configuration(Map.of());

    private final Map<String, String> values;

    private Configuration(Map<String, String> values) {
        this.values = values;
    }

    /** Nothing set: every key has its default. */
    public static Configuration defaults() {
        return DEFAULTS;
    }

    /** These keys set, all others at their defaults. The map is copied. */
    public static Configuration of(Map<String, String> values) {
        values.forEach(Configuration::refuseNul);
        return new Configuration(Map.copyOf(values));
    }

    /** The same with one more key set. */
    public Configuration with(String key, Object value) {
        Map<String, String> copy = new TreeMap<>(values);
        copy.put(key, String.valueOf(value));
        return of(copy);
    }

    /** What was set. */
    public Map<String, String> values() {
        return values;
    }

    private static void refuseNul(String key, String value) {
        if (key.isEmpty() || key.indexOf('\0') >= 0 || value.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("configuration key '" + key + "': empty, or with a NUL character");
        }
    }
}
