// SPDX-License-Identifier: Apache-2.0
package io.segue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.segue.example.Nightly;

/** Assignors that are programs, across languages: this JVM, another one, Python, and the native program. */
class ServeTest {
    private static final Path ROOT = Path.of(System.getProperty("segue.root"));
    private static final Path BUILD = Path.of(System.getProperty("segue.build.dir"));
    private static final long NIGHT = 2 * 3_600_000;
    private static final String DOCUMENT = "{\"segue\": \"group/1\", \"now_ms\": " + NIGHT + ","
            + " \"subtopologies\": [{\"id\": 0, \"partitions\": 2}],"
            + " \"members\": [{\"id\": \"S1\", \"active\": [\"0_0\", \"0_1\"]}, {\"id\": \"S2\"}]}";

    @TempDir
    private Path folder;

    @Test
    void shouldBeAskedByAJvmThatStartsIt() throws IOException {
        try (Segue segue = Segue.open(javaProgram("nightly").toString())) {
            Plan plan = segue.assign("nightly", group(), Configuration.defaults());
            assertThat(plan.report().fallback()).as(plan.report().text()).isFalse();
            assertThat(plan.stats().learners()).isEqualTo(1);
            AssignorInfo first = segue.assignors().get(0);
            assertThat(List.of(first.name(), first.version(), first.summary()))
                    .containsExactly("nightly", "1.0", "learner, and copies begin at night alone");
        }
    }

    @Test
    void shouldBeAskedByTheNativeProgram() throws IOException, InterruptedException {
        Path document = Files.writeString(folder.resolve("group.json"), DOCUMENT);
        Process asked = new ProcessBuilder(BUILD.resolve("segue").toString(), "assign", "--plugin",
                        javaProgram("nightly").toString(), "--assignor", "nightly", document.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(asked.waitFor(5, TimeUnit.MINUTES)).isTrue();
        assertThat(said).contains("\"assignor\": \"nightly\"", "\"learners\": 1").doesNotContain("segue: warning");
    }

    @Test
    void shouldTakeAStrategyThatIsWrittenInPython() throws IOException {
        Path python = program("nightly", "export PYTHONPATH=" + ROOT.resolve("hosts/python/src") + " SEGUE_LIBRARY="
                + BUILD.resolve("libsegue.so.1") + "\nexec python3 -B " + ROOT.resolve("hosts/python/examples/nightly.py"));
        try (Segue segue = Segue.open(python.toString())) {
            Plan plan = segue.assign("nightly", group(), Configuration.defaults());
            assertThat(plan.report().fallback()).as(plan.report().text()).isFalse();
            assertThat(plan.report().plugin()).isEqualTo(python.toString());
            assertThat(plan.stats().learners()).isEqualTo(1);
        }
    }

    @Test
    void shouldRefuseANameThatItsFileDoesNotHave() throws IOException {
        try (Segue segue = Segue.open(javaProgram("other").toString())) {
            assertThatThrownBy(() -> segue.assign("other", group(), Configuration.defaults()))
                    .hasMessageContaining("it serves nightly: the file has to be called as its one assignor is");
        }
    }

    @Test
    void shouldSayWhyAProgramIsRefusedThatNobodyMayRun() throws IOException {
        Path closed = Files.writeString(folder.resolve("closed.assignor"), "#!/bin/sh\n");
        try (Segue segue = Segue.open(folder.toString())) {
            assertThat(segue.assignors()).extracting(AssignorInfo::name).doesNotContain("closed");
            assertThatThrownBy(() -> segue.assign("closed", group(), Configuration.defaults()))
                    .hasMessageContaining("no assignor closed: its plugin is refused: " + closed)
                    .hasMessageContaining("chmod +x");
        }
    }

    @Test
    void shouldSayWhatItIsWhereNobodyHasStartedIt() {
        assertThatThrownBy(() -> Segue.serve("nightly", new Nightly()))
                .hasMessageContaining("put it on the plugin path as nightly.assignor");
    }

    private static Group group() {
        return Group.builder()
                .nowMs(NIGHT)
                .subtopology("0", 2)
                .member(Member.builder("S1").active("0_0", "0_1").build())
                .member(Member.builder("S2").build())
                .build();
    }

    private Path javaProgram(String name) throws IOException {
        return program(name, "exec '" + Path.of(System.getProperty("java.home"), "bin", "java") + "' -Xshare:auto"
                + " -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp '"
                + System.getProperty("java.class.path") + "' " + Nightly.class.getName());
    }

    private Path program(String name, String line) throws IOException {
        Path file = Files.writeString(folder.resolve(name + ".assignor"), "#!/bin/sh\n" + line + "\n");
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    }
}
