// SPDX-License-Identifier: Apache-2.0
/**
 * Segue for Kafka Streams: an assignor that moves state before it moves work, and the members' side of it.
 *
 * <p>The leader decides in {@code SegueTaskAssignor}; a member that has caught up says so
 * through {@link io.segue.kafka.streams.Segue}.
 */
package io.segue.kafka.streams;
