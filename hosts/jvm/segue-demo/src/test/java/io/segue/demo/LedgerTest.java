// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.EnumSet;
import java.util.concurrent.atomic.AtomicReference;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class LedgerTest {
    private final AtomicReference<Thread> looking = new AtomicReference<>();
    private final AtomicReference<Thread.State> found = new AtomicReference<>();
    private final Ledger ledger = new Ledger(1, handOver -> look());

    /** A test counts hand-overs as soon as it has seen the owners that it waited for. */
    @Test
    void shouldShowNobodyANewOwnerBeforeItsHandOver() throws InterruptedException {
        ledger.processed(0, "pod-1");
        ledger.processed(0, "pod-2");
        looking.get().join();

        assertThat(found).hasValue(Thread.State.BLOCKED);
        assertThat(ledger.owners()).containsOnlyKeys("pod-2");
        assertThat(ledger.handOvers()).hasSize(1);
    }

    private void look() {
        Thread thread = new Thread(ledger::owners, "looking");
        looking.set(thread);
        thread.start();
        Awaitility.await().atMost(Duration.ofSeconds(300)).until(
                () -> EnumSet.of(Thread.State.BLOCKED, Thread.State.TERMINATED).contains(thread.getState()));
        found.set(thread.getState());
    }
}
