// SPDX-License-Identifier: Apache-2.0
package io.segue;

/**
 * An assignor that can be asked.
 *
 * @param name what {@code segue.assignor} names
 * @param version the version of the strategy
 * @param summary one line for people
 * @param plugin the file that it comes from
 * @param cold whether it moves state without replaying it first; such ones exist to be compared with
 * @param pluginName what the plugin calls itself
 * @param pluginVersion the plugin's version
 * @since 1.0
 */
public record AssignorInfo(
        String name,
        String version,
        String summary,
        String plugin,
        boolean cold,
        String pluginName,
        String pluginVersion) {}
