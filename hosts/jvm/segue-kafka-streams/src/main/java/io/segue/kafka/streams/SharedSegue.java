// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Kafka Streams makes a new assignor for each rebalance; what is native is opened once and lives as the JVM does. */
final class SharedSegue {
    private static final Map<String, io.segue.Segue> OPEN = new ConcurrentHashMap<>();

    private SharedSegue() {}

    static io.segue.Segue at(String pluginPath) {
        return OPEN.computeIfAbsent(pluginPath, io.segue.Segue::open);
    }
}
