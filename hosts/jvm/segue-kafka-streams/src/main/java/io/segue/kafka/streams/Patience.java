// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Runs tasks elsewhere, and interrupts each that takes too long: an interrupt closes the connection whose request is
 * being read. The JDK's own limits for its server are system properties, which would bind the application's servers too.
 * Safe from any thread.
 */
final class Patience implements Executor, AutoCloseable {
    private final Executor workers;
    private final Duration limit;
    private final ScheduledThreadPoolExecutor clock;

    Patience(Executor workers, Duration limit) {
        this.workers = workers;
        this.limit = limit;
        clock = new ScheduledThreadPoolExecutor(1, work -> {
            Thread made = new Thread(work, "segue-http-limit");
            made.setDaemon(true);
            return made;
        });
        clock.setRemoveOnCancelPolicy(true);
    }

    @Override
    public void execute(Runnable task) {
        workers.execute(() -> run(task));
    }

    private void run(Runnable task) {
        Interrupt interrupt = new Interrupt(Thread.currentThread());
        ScheduledFuture<?> late = clock.schedule(interrupt, limit.toMillis(), TimeUnit.MILLISECONDS);
        try {
            task.run();
        } finally {
            late.cancel(false);
            interrupt.over();
        }
    }

    /** No task may get the interrupt that was meant for the one before it on the same thread. */
    private static final class Interrupt implements Runnable {
        private final Thread thread;
        private boolean over;

        Interrupt(Thread thread) {
            this.thread = thread;
        }

        @Override
        public synchronized void run() {
            if (!over) {
                thread.interrupt();
            }
        }

        synchronized void over() {
            over = true;
            Thread.interrupted();
        }
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }
}
