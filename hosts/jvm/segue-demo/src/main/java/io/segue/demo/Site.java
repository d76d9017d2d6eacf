// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.nio.file.Path;

/** What the instances of one run share. */
record Site(String brokers, Topics topics, Workspace workspace, String stateDirectory, Ledger ledger, Journal journal,
        Faults faults) {
    Path state(String instance) {
        return workspace.path(stateDirectory).resolve(instance);
    }

    TaskWatch watch() {
        return new BothWatches(ledger, journal);
    }
}
