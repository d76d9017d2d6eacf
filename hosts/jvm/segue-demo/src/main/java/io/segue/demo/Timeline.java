// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.io.PrintStream;
import java.util.Locale;

/** Prints what happens as it happens; progress bars only on a terminal. Safe from any thread. */
final class Timeline {
    private static final int BAR = 24;
    private static final long TERMINAL_MS = 150;
    private static final long PIPE_MS = 2000;

    private final PrintStream out;
    private final boolean terminal;
    private final long start = Millis.now();
    private boolean barShown;
    private long progressAt = Millis.now();

    Timeline(PrintStream out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    synchronized void say(String format, Object... arguments) {
        wipe();
        out.println(stamp() + String.format(Locale.ROOT, format, arguments));
        out.flush();
    }

    /** A paragraph without a time. */
    synchronized void print(String text) {
        wipe();
        out.println(text);
        out.flush();
    }

    /** Says how far something is; may be called as often as one likes. */
    synchronized void progress(String what, long done, long total) {
        long now = Millis.now();
        if (now - progressAt < (terminal ? TERMINAL_MS : PIPE_MS)) {
            return;
        }
        progressAt = now;
        String counts = String.format(Locale.ROOT, "%s %,d of %,d records", what, done, total);
        if (!terminal) {
            say("%s", counts);
            return;
        }
        wipe();
        out.print(stamp() + bar(done, total) + " " + counts);
        out.flush();
        barShown = true;
    }

    private void wipe() {
        if (barShown) {
            out.print("\r\033[K");
            barShown = false;
        }
    }

    private String stamp() {
        return String.format(Locale.ROOT, "%7.1f s  ", (Millis.now() - start) / 1000.0);
    }

    private static String bar(long done, long total) {
        int filled = total <= 0 ? 0 : (int) Math.min(BAR, BAR * done / total);
        return "[" + "#".repeat(filled) + ".".repeat(BAR - filled) + "]";
    }
}
