// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

/** An option has a value that makes no sense; the message names the option and what would be right. */
final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UsageException(String message) {
        super(message);
    }
}
