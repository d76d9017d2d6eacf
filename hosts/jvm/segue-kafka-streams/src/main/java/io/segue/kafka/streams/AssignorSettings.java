// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.streams.processor.assignment.AssignmentConfigs;

import io.segue.Configuration;
import io.segue.SegueException;

/**
 * What the application configured: ours out of its configuration, Kafka's as Kafka Streams has read it.
 *
 * @param assignor the strategy's name
 * @param pluginPath where else plugins are looked for; empty for nowhere
 * @param own the keys that segue knows, but for Kafka's
 * @param news where the leader finds who is leaving and which assignor is wished for
 */
record AssignorSettings(String assignor, String pluginPath, Configuration own, NewsSource news) {
    static final AssignorSettings DEFAULTS =
            new AssignorSettings("learner", "", Configuration.defaults(), NewsSource.NONE);

    private static final String PREFIX = "segue.";
    private static final String ASSIGNOR = "segue.assignor";
    private static final String PLUGIN_PATH = "segue.plugin.path";
    private static final String MAX_LEARNERS = "segue.max.learners";
    private static final Set<String> EARLY_KIP_429 = Set.of(
            "scale.down.timeout.ms", "learner.partial.rebalance", "stream.imbalance.percentage",
            "stream.rebalancing.mode");

    /** @throws ConfigException saying what is wrong, where, and what would be right */
    static AssignorSettings of(Map<String, ?> config) {
        Map<String, String> own = new HashMap<>();
        config.forEach((key, value) -> {
            boolean ours = key.startsWith(PREFIX) && !Settings.KEYS.contains(key) || EARLY_KIP_429.contains(key);
            if (value != null && ours) {
                own.put(key, value.toString().trim());
            }
        });
        AssignorSettings settings = new AssignorSettings(
                own.getOrDefault(ASSIGNOR, DEFAULTS.assignor), own.getOrDefault(PLUGIN_PATH, ""),
                Configuration.of(own), NewsSource.of(config, Settings.of(config)));
        settings.check();
        return settings;
    }

    /** The same with other news. */
    AssignorSettings with(NewsSource other) {
        return new AssignorSettings(assignor, pluginPath, own, other);
    }

    /** The same with another assignor. */
    AssignorSettings with(Choice choice) {
        return new AssignorSettings(choice.assignor(), pluginPath, own, news);
    }

    /** The assignors that can be asked here. */
    Offer offer() {
        return new Offer(SharedSegue.at(pluginPath, own));
    }

    private void check() {
        try {
            io.segue.Segue.check(own);
            offer().require(assignor);
        } catch (IllegalArgumentException unknown) {
            throw new ConfigException(ASSIGNOR, assignor, unknown.getMessage());
        } catch (SegueException fault) {
            ConfigException refused = new ConfigException("segue cannot assign: " + fault.getMessage());
            refused.initCause(fault);
            throw refused;
        }
    }

    /** Ours and Kafka's. Kafka's cap on warm-up replicas stays out: its default of 2 cannot be told from a wish. */
    Configuration with(AssignmentConfigs kafka) {
        Map<String, String> all = new HashMap<>(own.values());
        all.put("num.standby.replicas", String.valueOf(kafka.numStandbyReplicas()));
        all.put("acceptable.recovery.lag", String.valueOf(kafka.acceptableRecoveryLag()));
        all.put("probing.rebalance.interval.ms", String.valueOf(kafka.probingRebalanceIntervalMs()));
        all.put("rack.aware.assignment.strategy", kafka.rackAwareAssignmentStrategy());
        return Configuration.of(all);
    }

    Optional<String> maxLearners() {
        return Optional.ofNullable(own.values().get(MAX_LEARNERS));
    }
}
