// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.apache.kafka.common.config.ConfigException;
import org.junit.jupiter.api.Test;

/** What happens where the native library cannot be loaded: in a JVM of its own, since one JVM loads it once. */
class WithoutNativesTest {
    @Test
    void shouldRefuseToStartAndSayWhatWasTriedAndYetKeepTheOwnersIfItIsAsked() throws Exception {
        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Dsegue.native.path=/nowhere/at/all", "-cp", System.getProperty("java.class.path"),
                        Child.class.getName())
                .redirectErrorStream(true)
                .start();
        String said = output(child);
        assertThat(child.waitFor(60, TimeUnit.SECONDS)).as(said).isTrue();
        assertThat(said)
                .contains("refused: segue cannot assign: no native library at /nowhere/at/all")
                .contains("-Dsegue.native.path")
                .contains("kept: 1");
    }

    private static String output(Process child) throws IOException {
        return new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    /** The child's program. */
    static final class Child {
        private Child() {}

        public static void main(String[] arguments) {
            SegueTaskAssignor assignor = new SegueTaskAssignor();
            try {
                assignor.configure(Map.of());
            } catch (ConfigException refusal) {
                System.out.println("refused: " + refusal.getMessage());
            }
            assignor.assign(new FakeApplication().stateful(0, 1)
                    .with(new FakeProcess(1, 1).runs(FakeApplication.task(0))));
            System.out.println("kept: " + SegueTaskAssignor.keptAssignments());
        }
    }
}
