// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The one daemon thread on which an instance is looked after. Safe from any thread; nothing here blocks. */
final class AttendantThread {
    private static final Logger LOG = LoggerFactory.getLogger(AttendantThread.class);

    private final Complaints complaints;
    private final ScheduledThreadPoolExecutor executor;
    private volatile Thread thread;

    /** What is done on it for somebody who waits for the result. */
    interface Work<T> {
        T run() throws ExecutionException, InterruptedException, TimeoutException;
    }

    AttendantThread(String name, Complaints complaints) {
        this.complaints = complaints;
        executor = new ScheduledThreadPoolExecutor(1, work -> {
            thread = new Thread(work, name);
            thread.setDaemon(true);
            return thread;
        });
    }

    void start(Runnable tick, long everyMs) {
        executor.scheduleWithFixedDelay(tick, 0, everyMs, TimeUnit.MILLISECONDS);
    }

    /** At the next occasion, if it goes on at all. */
    void soon(Runnable tick) {
        try {
            executor.execute(tick);
        } catch (RejectedExecutionException over) {
            LOG.trace("Ended before", over);
        }
    }

    /** What Kafka refuses fails with what would be right. */
    <T> void submit(CompletableFuture<T> result, Work<T> work) {
        try {
            executor.execute(() -> {
                try {
                    result.complete(work.run());
                } catch (ExecutionException fault) {
                    result.completeExceptionally(new IllegalStateException(
                            complaints.reason(fault.getCause()), fault.getCause()));
                } catch (InterruptedException | TimeoutException | RuntimeException fault) {
                    result.completeExceptionally(fault);
                }
            });
        } catch (RejectedExecutionException closed) {
            result.completeExceptionally(new IllegalStateException("this instance is closed"));
        }
    }

    boolean isCurrent() {
        return Thread.currentThread() == thread;
    }

    boolean isClosed() {
        return executor.isShutdown();
    }

    /** After what is under way. */
    void close() {
        executor.shutdown();
    }
}
