// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.nio.file.Path;

/** Kafka's log, kept away from the timeline. Has to be set before the first logger is made. */
final class Logs {
    private static final String PREFIX = "org.slf4j.simpleLogger.";

    private Logs() {
    }

    static void to(Path file) {
        System.setProperty(PREFIX + "showDateTime", "true");
        System.setProperty(PREFIX + "dateTimeFormat", "HH:mm:ss.SSS");
        System.setProperty(PREFIX + "defaultLogLevel", file == null ? "off" : "info");
        if (file != null) {
            System.setProperty(PREFIX + "logFile", file.toString());
        }
    }
}
