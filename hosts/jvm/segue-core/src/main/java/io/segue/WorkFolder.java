// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;

/**
 * A fresh folder that nobody else can read, for the libraries out of the jar. It is new for each class loader, because
 * a JVM refuses to load one file into two of them. It goes when the JVM ends.
 */
final class WorkFolder {
    /** The folder under which it is made; the JVM's temporary one when not set. */
    static final String PROPERTY = "segue.native.workdir";

    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");

    private final Path path;

    private WorkFolder(Path path) {
        this.path = path;
    }

    /** A place that the user gave is the only one. */
    static List<Path> candidates() {
        return List.of(Path.of(System.getProperty(PROPERTY, System.getProperty("java.io.tmpdir"))));
    }

    static WorkFolder create(Path place) {
        try {
            Path path = Files.createTempDirectory(place, "segue-", PosixFilePermissions.asFileAttribute(OWNER_ONLY))
                    .toAbsolutePath();
            path.toFile().deleteOnExit();
            return new WorkFolder(path);
        } catch (IOException fault) {
            throw new SegueException(
                    "system", "no folder for the native library can be made in " + place + " (" + fault
                            + "): name one that can be written with -D" + PROPERTY, fault);
        }
    }

    Path extract(String name) {
        Path file = path.resolve(name);
        file.toFile().deleteOnExit();
        try (InputStream bundled = bundled(name)) {
            Files.copy(bundled, file);
            Files.setPosixFilePermissions(file, OWNER_ONLY);
        } catch (IOException fault) {
            throw new SegueException("system", file + " could not be written (" + fault
                    + "): name a folder with room with -D" + PROPERTY, fault);
        }
        return requireExecutable(file);
    }

    /** A file of the jar, for this machine. */
    static InputStream bundled(String name) {
        String resource = NativePlatform.folder() + "/" + name;
        InputStream bundled = WorkFolder.class.getClassLoader().getResourceAsStream(resource);
        if (bundled == null) {
            throw new SegueException("system", "no " + resource + " in the jar: this machine is not among those it"
                    + " was built for; name your own build with -D" + NativeLibrary.PATH_PROPERTY);
        }
        return bundled;
    }

    private static Path requireExecutable(Path file) {
        if (!Files.isExecutable(file)) {
            throw new SegueException("system", file.getParent().getParent() + " is mounted noexec, so " + file
                    + " cannot be loaded: name a folder on another mount with -D" + PROPERTY
                    + ", or an unpacked library with -D" + NativeLibrary.PATH_PROPERTY);
        }
        return file;
    }

    /** Best effort: what stays behind goes when the JVM ends. */
    void remove() {
        for (String name : List.of(NativePlatform.LIBRARY, NativePlatform.ISOLATE, NativePlatform.PLUGIN)) {
            path.resolve(name).toFile().delete();
        }
        path.toFile().delete();
    }
}
