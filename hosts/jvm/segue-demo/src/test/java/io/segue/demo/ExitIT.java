// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.segue.kafka.streams.Segue;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.streams.KafkaStreams;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process whose {@code main} ends as soon as its drained instance is closed leaves nothing behind all the same. */
class ExitIT {
    private static final String APPLICATION = "exits";
    private static final int PARTITIONS = 2;
    private static final int ATTEMPTS = 10;
    private static final Duration DEADLINE = Duration.ofSeconds(300);

    @TempDir
    private Path directory;

    @Test
    void shouldLeaveNeitherMarkNorPresenceBehind() throws Exception {
        Faults faults = new Faults();
        Ledger ledger = new Ledger(PARTITIONS, moved -> { });
        Topics topics = Topics.of(APPLICATION);
        try (Broker broker = Broker.start(directory.resolve("broker"));
                Admin admin = Admin.create(Map.of("bootstrap.servers", broker.address()));
                Input input = new Input(
                        broker.address(), topics.input(), new Workload(PARTITIONS, 100, 64, 1), 50, faults)) {
            topics.create(admin, PARTITIONS, new Await(faults));
            input.preload(done -> { });
            input.start();
            try (KafkaStreams heir = Segue.streams(
                    CountingTopology.build(topics, "heir", ledger),
                    EndingProcess.config(broker.address(), APPLICATION, "heir", directory.resolve("heir")))) {
                heir.start();
                Awaitility.await("work").atMost(DEADLINE).until(() -> ledger.allBusy(1_000));

                Awaitility.await("its presence").atMost(DEADLINE).until(() -> sideGroups(admin).size() == 1);
                shouldLeaveNothingBehind(broker, admin);
                assertThat(ledger.everDoubled()).isFalse();
            }
        }
        faults.check();
    }

    /** The JVM's end waits for the clean-up, but not for ever: where it says that it has not, another is asked. */
    private void shouldLeaveNothingBehind(Broker broker, Admin admin) throws Exception {
        for (int attempt = 1; ; attempt++) {
            String name = "ending-" + attempt;
            List<String> before = sideGroups(admin);
            Process ending = EndingProcess.start(
                    broker.address(), APPLICATION, APPLICATION, name, directory.resolve(name));
            boolean ended = ending.waitFor(DEADLINE.toSeconds(), TimeUnit.SECONDS);
            String log = Files.readString(directory.resolve(name + ".log"));
            assertThat(ended).as(log).isTrue();
            assertThat(ending.exitValue()).as(log).isZero();
            List<String> left = sideGroups(admin);
            if (attempt == ATTEMPTS || left.equals(before) || !log.contains("Not cleaned up within")) {
                assertThat(left).as(log).isEqualTo(before);
                return;
            }
        }
    }

    /** Marks and presences. */
    private static List<String> sideGroups(Admin admin) throws Exception {
        return admin.listGroups().all().get().stream()
                .map(group -> group.groupId())
                .filter(id -> id.startsWith(APPLICATION + ".segue."))
                .sorted()
                .toList();
    }
}
