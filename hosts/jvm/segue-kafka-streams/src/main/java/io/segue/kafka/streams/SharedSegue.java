// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

import io.segue.Assignor;
import io.segue.Configuration;
import io.segue.Metrics;

/** Kafka Streams makes a new assignor for each rebalance; what is native is opened once and lives as the JVM does. */
final class SharedSegue {
    private static final Set<String> KEYS = Set.of("segue.record.path", "segue.isolation", "segue.max.faults");
    private static final Map<Place, io.segue.Segue> OPEN = new ConcurrentHashMap<>();

    /** What one is opened with. Applications that want the same share it, with its counts. */
    private record Place(String pluginPath, Map<String, String> options, Map<String, Assignor> registered) {
        io.segue.Segue open() {
            return io.segue.Segue.open(pluginPath, Configuration.of(options));
        }
    }

    private SharedSegue() {}

    static io.segue.Segue at(String pluginPath, Configuration own) {
        Map<String, String> options = new TreeMap<>(own.values());
        options.keySet().retainAll(KEYS);
        return OPEN.computeIfAbsent(new Place(pluginPath, options, io.segue.Segue.registeredForAll()), Place::open);
    }

    /** Of all that are open. */
    static Metrics metrics() {
        return OPEN.values().stream().map(io.segue.Segue::metrics).reduce(Metrics.NONE, Metrics::plus);
    }

    static void reinstateAll() {
        OPEN.values().forEach(io.segue.Segue::reinstateAll);
    }
}
