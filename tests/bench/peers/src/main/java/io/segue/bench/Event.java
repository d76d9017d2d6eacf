// SPDX-License-Identifier: Apache-2.0
package io.segue.bench;

/** What has happened to a settled group. */
enum Event {
    /** Nobody ever owned anything. */
    FRESH("fresh"),
    /** Nothing. */
    STABLE("stable"),
    /** There is one member more. */
    JOIN("one joins"),
    /** The middle member is gone. */
    LEAVE("one leaves");

    final String label;

    Event(String label) {
        this.label = label;
    }
}
