// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
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
            Drain learning = begin(exactly, DrainStage.LEARNING);
            Drain revoked = begin(least, DrainStage.REVOKED);

            away();
            DrainStage.release(learning);
            DrainStage.release(revoked);

            drained(exactly.fleet(), learning);
            drained(least.fleet(), revoked);
            Verdict verdict = exactly.end();
            assertThat(verdict.doubled()).as("counted twice").isZero();
            assertThat(verdict.miscounted()).as("miscounted").isZero();
            assertThat(least.end().lost()).as("lost").isZero();
        }
    }

    private FleetRun run(String application, String guarantee) {
        return new FleetRun(application, guarantee, broker, admin, directory);
    }

    private static Drain begin(FleetRun run, DrainStage stage) {
        Drain drain = run.roles();
        stage.hold(drain);
        run.fleet().mark(drain.leaver());
        run.fleet().await("the stage " + stage, () -> stage.reached(drain));
        return drain;
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

    private static void drained(Fleet fleet, Drain drain) throws Exception {
        fleet.await("the drain has ended", () -> !drain.leaver().alive());
        assertThat(drain.leaver().status()).isZero();
        fleet.await("whole without the leaver", () -> fleet.whole(List.of(drain.learner(), drain.leader())));
        assertThat(fleet.marks()).isEmpty();
    }
}
