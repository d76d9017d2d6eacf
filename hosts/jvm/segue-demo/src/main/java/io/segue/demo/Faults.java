// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.util.concurrent.atomic.AtomicReference;

/** The first fault of any background thread, so that no wait outlasts it. Safe from any thread. */
final class Faults {
    private final AtomicReference<DemoException> first = new AtomicReference<>();

    void report(String what, Throwable cause) {
        first.compareAndSet(null, new DemoException(what + ": " + rootMessage(cause), cause));
    }

    void check() {
        DemoException fault = first.get();
        if (fault != null) {
            throw fault;
        }
    }

    private static String rootMessage(Throwable cause) {
        Throwable root = cause;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root.getClass().getSimpleName() + ": " + root.getMessage();
    }
}
