// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;

import io.segue.Assignor;
import io.segue.Configuration;
import io.segue.Group;
import io.segue.Proposal;
import io.segue.Segue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A live group whose strategy is the user's own, {@code learner} with one learner at a time: as an object of this JVM, and
 * as a program in Python.
 */
class OwnAssignorIT {
    private static final String NAME = "one-by-one";
    /** No busy machine uses it up; without one a program has ten seconds. */
    private static final int BUDGET_MS = 300_000;
    private static final Path BUILD = Path.of(System.getProperty("segue.test.plugins", "")).resolveSibling("");
    private static final Path PYTHON = Path.of("../../python/src").toAbsolutePath().normalize();
    private static final String PROGRAM = """
            #!/bin/sh
            export PYTHONPATH='%s' SEGUE_LIBRARY='%s'
            exec python3 -B -c '
            import dataclasses, segue
            host = segue.load()
            def one_by_one(group):
                return host.assign("learner", dataclasses.replace(group, config={**group.config, "segue.max.learners": 1}))
            segue.serve("one-by-one", one_by_one)'
            """;

    @TempDir
    private static Path directory;

    private static Broker broker;

    @BeforeAll
    static void begin() {
        broker = Broker.start(directory.resolve("broker"));
    }

    @AfterAll
    static void end() {
        broker.close();
    }

    @Test
    void shouldBeAssignedByAnObject() {
        try (Segue segue = Segue.open()) {
            Segue.registerForAll(NAME, new OneByOne(segue));
            scaleOut("own-object", Map.of("segue.assignor", NAME, "segue.max.compute.ms", BUDGET_MS));
        } finally {
            Segue.unregisterForAll(NAME);
        }
    }

    @Test
    void shouldBeAssignedByAProgramInAnotherLanguage() throws IOException {
        Path program = directory.resolve(NAME + ".assignor");
        Files.writeString(program, PROGRAM.formatted(PYTHON, BUILD.resolve("libsegue.so.1")));
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        scaleOut("own-program", Map.of(
                "segue.assignor", NAME, "segue.plugin.path", program.toString(), "segue.max.compute.ms", BUDGET_MS));
    }

    private static void scaleOut(String application, Map<String, Object> settings) {
        try (LiveGroup group = new LiveGroup(broker, directory, application, settings)) {
            group.begin("pod-1");
            group.join("pod-2");
            group.awaitShares(Map.of("pod-1", 2, "pod-2", 2));
            assertThat(group.events()).allSatisfy(event -> {
                assertThat(event.assignor()).isEqualTo(NAME);
                assertThat(event.fault()).isEmpty();
                assertThat(event.learners()).isLessThanOrEqualTo(1);
            });
            assertThat(group.events()).anyMatch(event -> event.learners() == 1 && event.heldBack() == 1);
            group.good();
        }
    }

    private record OneByOne(Segue segue) implements Assignor {
        @Override
        public Proposal assign(Group group, Configuration configuration) {
            return Proposal.of(segue.assign("learner", group, configuration.with("segue.max.learners", 1)));
        }
    }
}
