// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** The demo's own directory for broker, state and log; it is gone afterwards, also after Ctrl-C. */
final class Workspace implements AutoCloseable {
    private final Path root;
    private final Thread hook = new Thread(this::delete, "segue-demo-cleanup");

    private Workspace(Path root) {
        this.root = root;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    static Workspace create(Path parent) {
        try {
            return new Workspace(Files.createTempDirectory(Files.createDirectories(parent), "segue-demo-"));
        } catch (IOException e) {
            throw new DemoException("cannot make a working directory in " + parent + ": " + e.getMessage(), e);
        }
    }

    Path path(String name) {
        try {
            return Files.createDirectories(root.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void delete(String name) {
        delete(root.resolve(name));
    }

    private void delete() {
        delete(root);
    }

    /** Writers may still be at work when Ctrl-C ends the demo: what reappears is deleted again. */
    private static void delete(Path top) {
        for (int attempt = 0; attempt < 3 && Files.exists(top); attempt++) {
            try (Stream<Path> files = Files.walk(top)) {
                files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
            } catch (IOException | UncheckedIOException e) {
                continue;
            }
        }
    }

    @Override
    public void close() {
        delete();
        Runtime.getRuntime().removeShutdownHook(hook);
    }
}
