// SPDX-License-Identifier: Apache-2.0
package io.segue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NativeLoaderTest {
    @TempDir
    private Path folder;

    @Test
    void shouldTakeThePathThatTheUserGave() throws Exception {
        WorkFolder unpacked = WorkFolder.create(folder);
        Path library = unpacked.extract(NativePlatform.LIBRARY);
        unpacked.extract(NativePlatform.PLUGIN);
        assertThat(inANewLoader(NativeLibrary.PATH_PROPERTY, library.getParent().toString())).isEmpty();
    }

    @Test
    void shouldNotSecondGuessAPathThatTheUserGave() throws Exception {
        Path missing = folder.resolve("nowhere");
        assertThat(inANewLoader(NativeLibrary.PATH_PROPERTY, missing.toString()))
                .hasValueSatisfying(text -> assertThat(text).contains(missing.toString(), "segue.native.path"));
    }

    @Test
    void shouldSayWhatIsWrongWithAFileThatIsNoLibrary() throws Exception {
        Path text = Files.writeString(folder.resolve("libsegue_jni.so"), "no library");
        assertThat(inANewLoader(NativeLibrary.PATH_PROPERTY, text.toString()))
                .hasValueSatisfying(message -> assertThat(message).contains(text.toString(), "could not be loaded"));
    }

    @Test
    void shouldUnpackWhereNobodyElseCanWrite() {
        Path file = WorkFolder.create(folder).extract(NativePlatform.LIBRARY);
        assertThat(permissions(file.getParent())).isEqualTo("rwx------");
    }

    @Test
    void shouldNamePropertyAndPlaceWhenNothingCanBeWritten() {
        Path missing = folder.resolve("missing");
        assertThatThrownBy(() -> NativeLoader.bundled(List.of(missing)))
                .isInstanceOf(SegueException.class)
                .hasMessageContaining(missing.toString())
                .hasMessageContaining("segue.native.workdir");
    }

    @Test
    void shouldAttachEveryFailedAttempt() {
        List<Path> places = List.of(folder.resolve("one"), folder.resolve("two"));
        assertThatThrownBy(() -> NativeLoader.bundled(places))
                .satisfies(fault -> assertThat(fault.getSuppressed()).hasSize(2));
    }

    @Test
    void shouldNameTheCureForAFolderThatIsMountedNoexec() throws IOException {
        Optional<Path> place = noexecMount();
        assumeTrue(place.isPresent(), "no mount here is noexec and can be written");
        assertThatThrownBy(() -> NativeLoader.bundled(List.of(place.orElseThrow())))
                .isInstanceOf(SegueException.class)
                .hasMessageContaining("noexec")
                .hasMessageContaining("segue.native.workdir");
    }

    @Test
    void shouldCallMachinesAsTheirToolsDo() {
        assertThat(NativePlatform.folder("Linux", "amd64")).isEqualTo("META-INF/native/linux-x86_64");
        assertThat(NativePlatform.folder("Linux", "aarch64")).isEqualTo("META-INF/native/linux-aarch64");
    }

    private static String permissions(Path path) {
        try {
            return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
        } catch (IOException fault) {
            throw new AssertionError(fault);
        }
    }

    private static Optional<Path> noexecMount() throws IOException {
        return Files.readAllLines(Path.of("/proc/mounts")).stream()
                .map(line -> line.split(" "))
                .filter(mount -> mount[2].equals("tmpfs") && (mount[3] + ",").contains("noexec,"))
                .map(mount -> Path.of(mount[1]))
                .filter(Files::isWritable)
                .findFirst();
    }

    /** The message of the failure, if there is one, with a property set. */
    private static Optional<String> inANewLoader(String property, String value) throws Exception {
        String before = System.getProperty(property);
        System.setProperty(property, value);
        try (URLClassLoader loader = Guests.newLoader()) {
            Object cause = loader.loadClass("io.segue.Segue").getMethod("unavailabilityCause").invoke(null);
            return ((Optional<?>) cause).map(fault -> ((Throwable) fault).getMessage());
        } finally {
            if (before == null) {
                System.clearProperty(property);
            } else {
                System.setProperty(property, before);
            }
        }
    }

}
