// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A rebalance that this instance computed as the group's leader.
 *
 * @param at when
 * @param assignor the assignor that was asked
 * @param plugin the plugin that has it; empty where the native library could not be asked
 * @param pluginVersion the plugin's version
 * @param fault why the plan is not the assignor's own; empty when it is
 * @param tasks tasks of the application
 * @param members instances in the group
 * @param moves tasks that change their owner now
 * @param minMoves the least number of moves that reaches the balanced target from here
 * @param learners learners in flight after it
 * @param followupAt when another rebalance follows at the latest; empty where none is due at a time
 * @param followup why another is needed, such as {@code learners-restoring}; empty when none is
 * @since 2.0
 */
public record Led(
        Instant at,
        String assignor,
        String plugin,
        String pluginVersion,
        Optional<String> fault,
        int tasks,
        int members,
        int moves,
        int minMoves,
        int learners,
        Optional<Instant> followupAt,
        Optional<String> followup) {
    private static final int LONGEST_FAULT = 300;

    /** By the names that the presence has; absent is what does not apply. */
    Map<String, Object> fields() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("at_ms", at.toEpochMilli());
        fields.put("assignor", assignor);
        fields.put("plugin", plugin);
        fields.put("plugin_version", pluginVersion);
        fault.ifPresent(text -> fields.put("fault", text.substring(0, Math.min(LONGEST_FAULT, text.length()))));
        fields.put("tasks", (long) tasks);
        fields.put("members", (long) members);
        fields.put("moves", (long) moves);
        fields.put("min_moves", (long) minMoves);
        fields.put("learners", (long) learners);
        followupAt.ifPresent(time -> fields.put("followup_ms", time.toEpochMilli()));
        followup.ifPresent(why -> fields.put("followup", why));
        return fields;
    }
}
