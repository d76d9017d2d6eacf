// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.nio.file.Path;
import java.util.Optional;

/**
 * The native library of this class loader: loaded once, at the first need, and probed by a real call.
 *
 * @param plugin the file of the assignors that came with it, if they did
 */
record NativeLibrary(Optional<Path> plugin) {
    /** A file or the folder of the library; final when set. */
    static final String PATH_PROPERTY = "segue.native.path";

    private static final class Holder {
        private static NativeLibrary library;
        private static SegueException failure;

        static {
            try {
                library = NativeLoader.load();
            } catch (SegueException fault) {
                failure = fault;
            }
        }
    }

    static Optional<SegueException> failure() {
        return Optional.ofNullable(Holder.failure);
    }

    static NativeLibrary load() {
        if (Holder.failure != null) {
            throw new SegueException(Holder.failure.status(), Holder.failure.getMessage(), Holder.failure);
        }
        return Holder.library;
    }
}
