// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.Map;

import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.streams.StreamsConfig;

/**
 * When a member asks for a hand-over.
 *
 * @param anyReady ask as soon as any learner is caught up, not only when all of them are
 * @param recoveryLag a copy is caught up when it is behind by this many records at most
 * @param batchMs how long readiness has to be unchanged, so that all that is ready goes in one round
 * @param heartbeatMs how long the leader may take to hear of a request
 * @param standbys whether a copy may be a plain standby, which nobody will ever promote
 */
record HandOverConfig(boolean anyReady, long recoveryLag, long batchMs, long heartbeatMs, boolean standbys) {
    static final String READY_BATCH_MS = "segue.ready.batch.ms";
    static final String PARTIAL_REBALANCE = "learner.partial.rebalance";
    private static final long DEFAULT_BATCH_MS = 500;
    private static final long DEFAULT_RECOVERY_LAG = 10_000;
    private static final long DEFAULT_HEARTBEAT_MS = 3_000;

    /**
     * @param consumerConfig the main consumer's configuration, as Kafka Streams hands it to a client supplier
     * @throws ConfigException naming the key, if a value is of the wrong kind
     */
    static HandOverConfig of(Map<String, ?> consumerConfig) {
        return new HandOverConfig(
                flag(consumerConfig, PARTIAL_REBALANCE),
                number(consumerConfig, StreamsConfig.ACCEPTABLE_RECOVERY_LAG_CONFIG, DEFAULT_RECOVERY_LAG),
                number(consumerConfig, READY_BATCH_MS, DEFAULT_BATCH_MS),
                Math.max(1, number(
                        consumerConfig, ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, DEFAULT_HEARTBEAT_MS)),
                number(consumerConfig, StreamsConfig.NUM_STANDBY_REPLICAS_CONFIG, 0) > 0);
    }

    private static long number(Map<String, ?> config, String key, long otherwise) {
        Object value = config.get(key);
        if (value == null) {
            return otherwise;
        }
        try {
            long number = Long.parseLong(value.toString().trim());
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw new ConfigException(key, value, "must be a number");
        }
        throw new ConfigException(key, value, "must be 0 or more");
    }

    private static boolean flag(Map<String, ?> config, String key) {
        Object value = config.get(key);
        if (value == null || value.toString().trim().equalsIgnoreCase("true")) {
            return true;
        }
        if (value.toString().trim().equalsIgnoreCase("false")) {
            return false;
        }
        throw new ConfigException(key, value, "must be true or false");
    }
}
