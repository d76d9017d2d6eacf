// SPDX-License-Identifier: Apache-2.0
package io.segue;

/**
 * The keys of a configuration that are the host's: no plan depends on them.
 *
 * @param recordPath {@code segue.record.path}; empty for what the environment says
 * @param isolation {@code segue.isolation}; empty for the environment's SEGUE_ISOLATION or the default
 * @param maxFaults {@code segue.max.faults} as the native part takes it: 0 for the default, -1 for no bound
 */
record HostOptions(String recordPath, String isolation, int maxFaults) {
    private static final String RECORD_PATH = "segue.record.path";
    private static final String ISOLATION = "segue.isolation";
    private static final String MAX_FAULTS = "segue.max.faults";

    /** @throws SegueException {@code bad-config} for what is no number */
    static HostOptions of(Configuration configuration) {
        return new HostOptions(
                configuration.values().getOrDefault(RECORD_PATH, ""),
                configuration.values().getOrDefault(ISOLATION, "").trim(),
                faults(configuration.values().getOrDefault(MAX_FAULTS, "").trim()));
    }

    private static int faults(String text) {
        if (text.isEmpty()) {
            return 0;
        }
        try {
            int number = Integer.parseUnsignedInt(text);
            if (number >= 0) {
                return number == 0 ? -1 : number;
            }
        } catch (NumberFormatException fault) {
            throw refusal(text);
        }
        throw refusal(text);
    }

    private static SegueException refusal(String text) {
        return new SegueException("bad-config", MAX_FAULTS + " is '" + text
                + "': it must be a whole number from 0, for no bound, to " + Integer.MAX_VALUE);
    }
}
