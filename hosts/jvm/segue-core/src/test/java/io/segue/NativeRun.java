// SPDX-License-Identifier: Apache-2.0
package io.segue;

import java.net.URLClassLoader;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;

/**
 * A program that goes through the native library from end to end, for JVMs that watch it: with -Xcheck:jni, on another
 * JDK, or under a sanitizer. Says {@code done} at its end, and nothing else.
 */
public final class NativeRun {
    private static final int ROUNDS = 3;
    private static final int THREADS = 4;

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
            askTogether(one, other);
            ((AutoCloseable) one).close();
            ((AutoCloseable) other).close();
        }
    }

    /** Threads ask both, each in its turn; all of them are told the same. */
    private static void askTogether(UnaryOperator<String> one, UnaryOperator<String> other) throws Exception {
        String right = one.apply("learner");
        Callable<Boolean> inTurns = () -> {
            boolean same = true;
            for (int round = 0; round < ROUNDS; round++) {
                same &= one.apply("learner").equals(right) && other.apply("learner").equals(right);
            }
            return same;
        };
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            for (Future<Boolean> answer : threads.invokeAll(Collections.nCopies(THREADS, inTurns))) {
                require(answer.get(), "a thread was told something else");
            }
        } finally {
            threads.shutdown();
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
