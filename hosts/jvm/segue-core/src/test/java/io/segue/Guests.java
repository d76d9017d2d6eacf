// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Class loaders of their own, each with a {@link Guest}; and how it is found out that they are gone. */
final class Guests {
    private static final Duration PATIENCE = Duration.ofSeconds(300);

    private Guests() {}

    /** Nothing of this class loader's own is seen by them. */
    static URLClassLoader newLoader() {
        URL[] classes = {place(Segue.class), place(Guest.class)};
        return new URLClassLoader(classes, ClassLoader.getPlatformClassLoader());
    }

    private static URL place(Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation();
    }

    @SuppressWarnings("unchecked")
    static UnaryOperator<String> open(ClassLoader loader, String isolation) throws ReflectiveOperationException {
        return (UnaryOperator<String>) loader.loadClass(Guest.class.getName())
                .getConstructor(String.class)
                .newInstance(isolation);
    }

    /** A loader whose guest has asked both assignors, and was closed or simply forgotten. */
    static WeakReference<ClassLoader> used(String isolation, boolean closed) throws Exception {
        try (URLClassLoader loader = newLoader()) {
            UnaryOperator<String> guest = open(loader, isolation);
            if (!guest.apply("learner").equals(guest.apply("own"))) {
                throw new AssertionError("the assignor of its own says what the learner says");
            }
            if (closed) {
                ((AutoCloseable) guest).close();
            }
            return new WeakReference<>(loader);
        }
    }

    /** Whether the loader is collected in time. */
    static boolean goes(WeakReference<ClassLoader> loader) {
        return comesTrue(() -> loader.refersTo(null));
    }

    /** How many files of that name are mapped into this process. */
    static long mapped(String file) {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.endsWith("/" + file) || line.endsWith("/" + file + " (deleted)"))
                    .map(line -> line.substring(line.indexOf('/')))
                    .distinct()
                    .count();
        } catch (IOException fault) {
            throw new UncheckedIOException(fault);
        }
    }

    /** Whether so few are mapped in time; the JVM unmaps a library some time after its loader was collected. */
    static boolean mappedAtMost(long most, String file) {
        return comesTrue(() -> mapped(file) <= most);
    }

    /** Whether this process has no children any more in time: who has ended is one until it was waited for. */
    static boolean isAloneAgain() {
        return comesTrue(() -> ProcessHandle.current().children().findAny().isEmpty());
    }

    private static boolean comesTrue(BooleanSupplier condition) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean() && System.nanoTime() < deadline) {
            System.gc();
        }
        return condition.getAsBoolean();
    }
}
