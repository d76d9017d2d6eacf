// SPDX-License-Identifier: Apache-2.0
package io.segue;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** In JVMs of its own, since what -Xcheck:jni finds it only prints. */
class NativeRunTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @MethodSource("jdks")
    void shouldGiveACheckingJvmNothingToSay(Path jdk) throws Exception {
        Path said = folder.resolve("said");
        Process process = new ProcessBuilder(
                        jdk.resolve("bin/java").toString(), "-Xcheck:jni", "--enable-native-access=ALL-UNNAMED",
                        "-XX:+UseSerialGC", "-cp", classes(), NativeRun.class.getName())
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        int status = process.waitFor();
        assertThat(said).hasContent("done");
        assertThat(status).isZero();
    }

    /** The one that runs this, and those where Debian keeps others. */
    static Stream<Path> jdks() throws IOException {
        Path here = Path.of(System.getProperty("java.home")).toRealPath();
        return Stream.concat(Stream.of(here), others(Path.of("/usr/lib/jvm"))).distinct();
    }

    private static Stream<Path> others(Path place) throws IOException {
        if (!Files.isDirectory(place)) {
            return Stream.empty();
        }
        try (Stream<Path> entries = Files.list(place)) {
            List<Path> homes = entries.filter(home -> major(home) >= 17).map(NativeRunTest::real).toList();
            return homes.stream();
        }
    }

    private static Path real(Path home) {
        try {
            return home.toRealPath();
        } catch (IOException fault) {
            throw new UncheckedIOException(fault);
        }
    }

    /** As its file "release" says; 0 where there is none. */
    private static int major(Path home) {
        if (!Files.isExecutable(home.resolve("bin/java"))) {
            return 0;
        }
        try (Stream<String> lines = Files.lines(home.resolve("release"))) {
            return lines.filter(line -> line.startsWith("JAVA_VERSION="))
                    .map(line -> line.replaceAll("[^0-9.]", "").replaceFirst("\\..*", ""))
                    .mapToInt(Integer::parseInt)
                    .findFirst()
                    .orElse(0);
        } catch (IOException fault) {
            return 0;
        }
    }

    private static String classes() {
        return Stream.of(Segue.class, NativeRun.class)
                .map(type -> type.getProtectionDomain().getCodeSource().getLocation().getPath())
                .reduce((one, other) -> one + File.pathSeparator + other)
                .orElseThrow();
    }
}
