// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

/** The demo could not go on; the message is one sentence for the person who runs it. */
final class DemoException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    DemoException(String message) {
        super(message);
    }

    DemoException(String message, Throwable cause) {
        super(message, cause);
    }
}
