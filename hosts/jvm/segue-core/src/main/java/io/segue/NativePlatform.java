// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.util.Locale;

/** How the folder of this machine's libraries is called inside the jar: {@code linux-x86_64}. */
final class NativePlatform {
    static final String LIBRARY = "libsegue_jni.so";
    static final String PLUGIN = "segue-assignors.so";
    /** The program for plugins' processes, which the library looks for beside itself. */
    static final String ISOLATE = "segue-isolate";

    private NativePlatform() {}

    static String folder() {
        return folder(System.getProperty("os.name", ""), System.getProperty("os.arch", ""));
    }

    static String folder(String os, String arch) {
        String system = os.toLowerCase(Locale.ROOT).replace(" ", "");
        String machine = arch.equals("amd64") ? "x86_64" : arch.equals("arm64") ? "aarch64" : arch;
        return "META-INF/native/" + system + "-" + machine;
    }
}
