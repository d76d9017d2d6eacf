// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Where the native library comes from: the path that the user gave, and nothing else; else the one in the jar. */
final class NativeLoader {
    private NativeLoader() {}

    static NativeLibrary load() {
        String given = System.getProperty(NativeLibrary.PATH_PROPERTY, "");
        return given.isEmpty() ? bundled(WorkFolder.candidates()) : explicit(Path.of(given));
    }

    private static NativeLibrary explicit(Path given) {
        Path library = (Files.isDirectory(given) ? given.resolve(NativePlatform.LIBRARY) : given).toAbsolutePath();
        if (!Files.isRegularFile(library)) {
            throw new SegueException("system", "no native library at " + library + ": -D" + NativeLibrary.PATH_PROPERTY
                    + " has to name the folder of " + NativePlatform.LIBRARY + ", or the file itself");
        }
        load(library);
        return with(library.resolveSibling(NativePlatform.PLUGIN));
    }

    /** The first place that lets a library be written and run. Each one that does not hangs on the thrown error. */
    static NativeLibrary bundled(List<Path> places) {
        List<SegueException> attempts = new ArrayList<>();
        for (Path place : places) {
            try {
                return extracted(place);
            } catch (SegueException attempt) {
                attempts.add(attempt);
            }
        }
        SegueException last = attempts.get(attempts.size() - 1);
        SegueException failure = new SegueException(last.status(), last.getMessage());
        attempts.forEach(failure::addSuppressed);
        throw failure;
    }

    private static NativeLibrary extracted(Path place) {
        WorkFolder folder = WorkFolder.create(place);
        try {
            Path library = folder.extract(NativePlatform.LIBRARY);
            folder.extract(NativePlatform.ISOLATE);
            load(library);
            return with(PluginFile.in(folder));
        } catch (SegueException attempt) {
            folder.remove();
            throw attempt;
        }
    }

    private static NativeLibrary with(Path plugin) {
        return new NativeLibrary(Optional.of(plugin).filter(Files::isRegularFile));
    }

    private static void load(Path library) {
        try {
            System.load(library.toString());
            Frame frame = new Frame();
            frame.check(Natives.version(Buffers.direct(64), frame.buffer()));
        } catch (LinkageError fault) {
            throw new SegueException(
                    "system", "the native library " + library + " could not be loaded: " + fault.getMessage(), fault);
        }
    }
}
