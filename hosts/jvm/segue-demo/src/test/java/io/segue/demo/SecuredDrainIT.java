// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.segue.kafka.streams.Drain;
import io.segue.kafka.streams.DrainResult;
import io.segue.kafka.streams.Segue;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.streams.KafkaStreams.State;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An application that has to log in over TLS and may do no more than it is allowed to: side groups are written and read
 * with its own settings.
 */
class SecuredDrainIT {
    private static final String ID = SecuredApplication.ID;
    private static final int PARTITIONS = 4;
    private static final Duration DEADLINE = SecuredApplication.DEADLINE;

    @TempDir
    private Path directory;

    private SecuredApplication application;

    @BeforeEach
    void begin() {
        application = new SecuredApplication(directory);
    }

    @AfterEach
    void end() {
        application.close();
    }

    @Test
    void shouldDrainWithTheApplicationsOwnLoginAndNoMoreRightsThanDocumented() throws Exception {
        application.broker().allowMarks(SecuredBroker.APPLICATION, ID);
        application.scaleTo(2);

        DrainResult result = drain().get(DEADLINE.toSeconds(), TimeUnit.SECONDS);

        assertThat(result).isEqualTo(DrainResult.EMPTIED);
        Awaitility.await("work without pod-2").atMost(DEADLINE).until(() ->
                application.ledger().owners().equals(Map.of("pod-1", PARTITIONS)) && application.ledger().allBusy(1_000));
        Awaitility.await("no mark").atMost(DEADLINE).until(() -> application.sideGroups("mark").isEmpty());
        Awaitility.await("one presence").atMost(DEADLINE).until(() -> application.sideGroups("presence").size() == 1);
        application.faults().check();
    }

    @Test
    void shouldWorkAsBeforeAndSayWhichRightIsMissing() throws Exception {
        application.scaleTo(2);

        assertThatThrownBy(() -> drain().get(DEADLINE.toSeconds(), TimeUnit.SECONDS))
                .hasMessageContaining("Read and Delete on groups with the prefix 'secured.segue.'");
        Awaitility.await("work as before").atMost(DEADLINE).until(() ->
                application.instances().stream().allMatch(streams -> streams.state() == State.RUNNING)
                        && application.ledger().owners().equals(Map.of("pod-1", PARTITIONS / 2, "pod-2", PARTITIONS / 2))
                        && application.ledger().allBusy(1_000));
        application.faults().check();
    }

    /** What makes the other tests worth something: nobody comes in without the certificate. */
    @Test
    void shouldLetNobodyInWhoDoesNotTrustTheCertificate() {
        Map<String, Object> login = new HashMap<>(application.broker().login(SecuredBroker.APPLICATION));
        login.keySet().removeAll(Set.of("ssl.truststore.type", "ssl.truststore.location"));

        try (Admin stranger = Admin.create(login)) {
            assertThatThrownBy(() -> stranger.describeCluster().nodes().get(DEADLINE.toSeconds(), TimeUnit.SECONDS))
                    .hasCauseInstanceOf(SslAuthenticationException.class);
        }
    }

    private Drain drain() {
        return Segue.of(application.instances().get(1)).drain(Duration.ofMinutes(5));
    }
}
