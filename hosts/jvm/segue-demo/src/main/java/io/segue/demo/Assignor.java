// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.time.Duration;
import java.util.Map;

/** The assignors that can be compared. */
enum Assignor {
    LEARNER(
            "learner",
            Map.of("task.assignor.class", "io.segue.kafka.streams.SegueTaskAssignor", "segue.assignor", "learner")),
    SCALE_DOWN(
            "scale-down",
            Map.of(
                    "task.assignor.class", "io.segue.kafka.streams.SegueTaskAssignor",
                    "segue.assignor", "scale-down",
                    "state.cleanup.delay.ms", 2_000L)),
    STICKY(
            "sticky",
            Map.of(
                    "task.assignor.class",
                    "org.apache.kafka.streams.processor.assignment.assignors.StickyTaskAssignor")),
    HIGH_AVAILABILITY("high-availability", Map.of("probing.rebalance.interval.ms", Probing.MINIMUM_MS)),
    SEGUE_HIGH_AVAILABILITY(
            "segue-high-availability",
            Map.of(
                    "task.assignor.class", "io.segue.kafka.streams.SegueTaskAssignor",
                    "segue.assignor", "high-availability",
                    "probing.rebalance.interval.ms", Probing.MINIMUM_MS));

    private final String label;
    private final Map<String, Object> config;

    Assignor(String label, Map<String, Object> config) {
        this.label = label;
        this.config = config;
    }

    String label() {
        return label;
    }

    Map<String, Object> config() {
        return config;
    }

    boolean segue() {
        return this == LEARNER || this == SCALE_DOWN;
    }

    /** What a reader has to know to judge the figures fairly. */
    String note() {
        return switch (this) {
            case LEARNER -> "a new member learns first, and asks for the hand-over when it is caught up";
            case SCALE_DOWN -> "learner, and an instance that is to go is emptied by learners elsewhere";
            case STICKY -> "Kafka's own; moved tasks restore with nobody at work on them";
            case HIGH_AVAILABILITY -> "Kafka's default; looks for caught-up members every 60 s here,"
                    + " the least it allows, and every 600 s by default";
            case SEGUE_HIGH_AVAILABILITY -> "segue's high-availability, which decides as Kafka's does, without more of segue";
        };
    }

    /** Two warm-ups at a time, one probing rebalance after the other. */
    Duration deadline(Settings settings) {
        if (this != HIGH_AVAILABILITY && this != SEGUE_HIGH_AVAILABILITY) {
            return settings.deadline();
        }
        return settings.deadline().plusMillis(Probing.MINIMUM_MS * (settings.partitions() / 2 + 1));
    }

    static Assignor of(String label) {
        for (Assignor assignor : values()) {
            if (assignor.label.equals(label)) {
                return assignor;
            }
        }
        throw new UsageException(
                "--assignor " + label + " is unknown; there are learner, scale-down, sticky, high-availability and"
                        + " segue-high-availability");
    }

    private static final class Probing {
        static final int MINIMUM_MS = 60_000;
    }
}
