// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

import org.apache.kafka.common.config.ConfigException;

/**
 * What an instance does beside assigning: marks and HTTP.
 *
 * @param marksTimeoutMs how long the leader waits for marks at a rebalance
 * @param marksPollMs how often an instance looks for its own mark
 * @param scaleDownTimeoutMs the deadline of a mark that has none
 * @param httpPort where HTTP is served, 0 for any free port; empty for nowhere
 * @param httpHost the address it listens at
 * @param httpToken what a change has to present; empty for nothing
 */
record Settings(
        long marksTimeoutMs,
        long marksPollMs,
        OptionalLong scaleDownTimeoutMs,
        Optional<Integer> httpPort,
        String httpHost,
        Optional<String> httpToken) {
    static final String MARKS_TIMEOUT_MS = "segue.marks.timeout.ms";
    static final String MARKS_POLL_MS = "segue.marks.poll.ms";
    static final String HTTP_PORT = "segue.http.port";
    static final String HTTP_HOST = "segue.http.host";
    static final String HTTP_TOKEN = "segue.http.token";

    /** No decision depends on these, so the native part does not know them. */
    static final Set<String> KEYS = Set.of(MARKS_TIMEOUT_MS, MARKS_POLL_MS, HTTP_PORT, HTTP_HOST, HTTP_TOKEN);

    private static final String SCALE_DOWN_TIMEOUT_MS = "scale.down.timeout.ms";
    private static final Set<String> WITHOUT_LEAVING = Set.of("eager", "sticky", "high-availability", "learner");

    /** @throws ConfigException naming the key, if a value is of the wrong kind */
    static Settings of(Map<String, ?> config) {
        return new Settings(
                number(config, MARKS_TIMEOUT_MS, 1, 10_000).orElse(300),
                number(config, MARKS_POLL_MS, 50, 3_600_000).orElse(1_000),
                number(config, SCALE_DOWN_TIMEOUT_MS, 0, Long.MAX_VALUE),
                number(config, HTTP_PORT, 0, 65_535).stream().mapToObj(port -> (int) port).findFirst(),
                text(config, HTTP_HOST).orElse("127.0.0.1"),
                text(config, HTTP_TOKEN));
    }

    /** A strategy that segue does not come with may heed marks: it is given them. */
    static boolean heedsMarks(String assignor) {
        return !WITHOUT_LEAVING.contains(assignor);
    }

    private static Optional<String> text(Map<String, ?> config, String key) {
        return Optional.ofNullable(config.get(key))
                .map(value -> value.toString().trim())
                .filter(text -> !text.isEmpty());
    }

    private static OptionalLong number(Map<String, ?> config, String key, long least, long most) {
        Object value = config.get(key);
        if (value == null) {
            return OptionalLong.empty();
        }
        try {
            long number = Long.parseLong(value.toString().trim());
            if (number >= least && number <= most) {
                return OptionalLong.of(number);
            }
        } catch (NumberFormatException fault) {
            throw new ConfigException(key, value, "must be a number");
        }
        throw new ConfigException(key, value, "must be " + least + " to " + most);
    }
}
