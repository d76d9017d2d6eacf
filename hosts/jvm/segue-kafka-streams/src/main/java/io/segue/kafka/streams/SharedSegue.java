// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Kafka Streams makes a new assignor for each rebalance; what is native is opened once and lives as the JVM does. */
final class SharedSegue {
    private static final Map<Place, io.segue.Segue> OPEN = new ConcurrentHashMap<>();

    /** What one is opened with. */
    private record Place(String pluginPath, String recordPath) {
        io.segue.Segue open() {
            return io.segue.Segue.open(pluginPath, recordPath);
        }
    }

    private SharedSegue() {}

    static io.segue.Segue at(String pluginPath, String recordPath) {
        return OPEN.computeIfAbsent(new Place(pluginPath, recordPath), Place::open);
    }
}
