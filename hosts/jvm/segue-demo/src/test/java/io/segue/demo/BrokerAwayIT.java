// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Map;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.segue.demo.DrainStage.Drain;

/** The broker goes away in the middle of drains, for longer than anybody waits for an answer, and comes back. */
class BrokerAwayIT {
    /** Longer than the instances wait for an answer about marks (5 s), and than {@code request.timeout.ms} here. */
    private static final int AWAY_MS = 6_000;

    @TempDir
    private Path directory;

    private Broker broker;
    private Admin admin;

    @BeforeEach
    void begin() {
        broker = Broker.start(
                directory.resolve("broker"), (config, further) -> config.put("group.min.session.timeout.ms", "1000"));
        admin = Admin.create(Map.of("bootstrap.servers", broker.address()));
    }

    @AfterEach
    void end() {
        admin.close();
        broker.close();
    }

    /** Two applications, so that one absence meets two stages. */
    @Test
    void shouldGoOnWithDrainsWhenTheBrokerIsBack() throws Exception {
        try (FleetRun exactly = run("exactly-once", "exactly_once_v2");
                FleetRun least = run("at-least-once", "at_least_once")) {
            Drain learning = exactly.bringTo(DrainStage.LEARNING, "before the broker goes").drain();
            Drain revoked = least.bringTo(DrainStage.REVOKED, "before the broker goes").drain();

            away();
            DrainStage.release(learning);
            DrainStage.release(revoked);

            exactly.drained("with the broker back", learning.leaver(), learning.others());
            least.drained("with the broker back", revoked.leaver(), revoked.others());
            Verdict verdict = exactly.end();
            assertThat(verdict.doubled()).as("counted twice").isZero();
            assertThat(verdict.miscounted()).as("miscounted").isZero();
            assertThat(least.end().lost()).as("lost").isZero();
        }
    }

    private FleetRun run(String application, String guarantee) {
        return new FleetRun(application, guarantee, broker, admin, directory);
    }

    /** Away until a client that has asked meanwhile has lost its patience. */
    private void away() {
        broker.close();
        try (Admin patient = Admin.create(Map.of(
                "bootstrap.servers", broker.address(), "default.api.timeout.ms", AWAY_MS,
                "request.timeout.ms", AWAY_MS))) {
            assertThatThrownBy(() -> patient.describeCluster().nodes().get()).hasCauseInstanceOf(TimeoutException.class);
        }
        broker.start();
    }
}
