// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.concurrent.TimeoutException;

import org.apache.kafka.common.errors.AuthorizationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says once that side groups cannot be reached, and once that they can again. Safe from any thread. */
final class Complaints {
    private static final Logger LOG = LoggerFactory.getLogger(Complaints.class);

    private final String prefix;
    private boolean complained;

    Complaints(String prefix) {
        this.prefix = prefix;
    }

    synchronized void failed(String what, String consequence, Throwable cause) {
        if (!complained) {
            LOG.warn("Cannot {}: {}; {}", what, reason(cause), consequence);
        }
        complained = true;
    }

    synchronized void worked(String what) {
        if (complained) {
            LOG.info("Can {} again", what);
        }
        complained = false;
    }

    /** What would be right, where that can be said. */
    String reason(Throwable cause) {
        if (cause instanceof AuthorizationException) {
            return "the application needs the ACL operations Read and Delete on groups with the prefix '" + prefix
                    + "' and Read on its source topics (" + cause.getMessage() + ")";
        }
        return cause instanceof TimeoutException || cause instanceof org.apache.kafka.common.errors.TimeoutException
                ? "no answer in time"
                : cause.toString();
    }
}
