// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.net.URLClassLoader;
import java.util.function.UnaryOperator;

/**
 * A program that goes through the native library from end to end, for JVMs that watch it: with -Xcheck:jni, on another
 * JDK, or under a sanitizer. Says {@code done} at its end, and nothing else.
 */
public final class NativeRun {
    private static final int ROUNDS = 3;

    private NativeRun() {}

    public static void main(String[] arguments) throws Exception {
        for (String isolation : new String[] {"none", "thread", "process"}) {
            askTwo(isolation);
            for (int round = 0; round < ROUNDS; round++) {
                require(Guests.goes(Guests.used(isolation, round % 2 == 0)), "a class loader stayed: " + isolation);
            }
        }
        require(Guests.mappedAtMost(0, NativePlatform.LIBRARY), "the native library stayed");
        System.out.println("done");
    }

    private static void askTwo(String isolation) throws Exception {
        try (URLClassLoader left = Guests.newLoader();
                URLClassLoader right = Guests.newLoader()) {
            UnaryOperator<String> one = Guests.open(left, isolation);
            UnaryOperator<String> other = Guests.open(right, isolation);
            require(one.apply("own").equals(other.apply("learner")), "two class loaders differ: " + isolation);
            require(refuses(one), "an assignor that is not there answers");
            ((AutoCloseable) one).close();
            ((AutoCloseable) other).close();
        }
    }

    private static boolean refuses(UnaryOperator<String> guest) {
        try {
            guest.apply("nobody");
            return false;
        } catch (RuntimeException refusal) {
            return refusal.getMessage().contains("nobody");
        }
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalStateException(otherwise);
        }
    }
}
