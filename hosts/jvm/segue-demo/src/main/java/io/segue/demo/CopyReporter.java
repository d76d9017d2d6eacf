// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Looks at the copies all instances build, and tells the timeline of their beginning, progress and end. */
final class CopyReporter implements AutoCloseable {
    private static final long TERMINAL_MS = 200;
    private static final long PIPE_MS = 2000;

    private final Timeline timeline;
    private final List<Instance> instances = new CopyOnWriteArrayList<>();
    private final Map<String, Told> told = new HashMap<>();
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "segue-demo-progress");
        thread.setDaemon(true);
        return thread;
    });

    /** What was last seen and said of an instance. */
    private record Told(long begunAt, long saidAt, int tasks, boolean begun, boolean complete) {
        Told saidAt(long now) {
            return new Told(begunAt, now, tasks, true, complete);
        }

        Told completeAt(long now) {
            return new Told(begunAt, now, tasks, true, true);
        }
    }

    CopyReporter(Timeline timeline) {
        this.timeline = timeline;
        clock.scheduleWithFixedDelay(this::look, TERMINAL_MS, TERMINAL_MS, TimeUnit.MILLISECONDS);
    }

    void watch(Instance instance) {
        instances.add(instance);
    }

    private void look() {
        for (Instance instance : instances) {
            Optional<CopyProgress> progress = instance.copies().progress();
            if (progress.isPresent()) {
                tell(instance.name(), progress.get());
            } else {
                told.remove(instance.name());
            }
        }
    }

    private void tell(String name, CopyProgress progress) {
        long now = Millis.now();
        Told before = told.get(name);
        if (before == null || !before.begun() && before.tasks() != progress.tasks()) {
            told.put(name, new Told(before == null ? now : before.begunAt(), now, progress.tasks(), false, false));
        } else if (!before.begun()) {
            timeline.say("%s joined and %s %d tasks", name, verb(progress, "learns", "restores, cold,"),
                    progress.tasks());
            told.put(name, before.saidAt(now));
        } else if (progress.complete() && !before.complete()) {
            timeline.say("%s is ready: %d of %d tasks caught up after %.1f s",
                    name, progress.ready(), progress.tasks(), (now - before.begunAt()) / 1000.0);
            told.put(name, before.completeAt(now));
        } else if (!progress.complete() && now - before.saidAt() >= interval()) {
            timeline.progress(
                    name + " " + verb(progress, "learning", "restoring"), progress.loaded(), progress.total());
            told.put(name, before.saidAt(now));
        }
    }

    private long interval() {
        return timeline.terminal() ? TERMINAL_MS : PIPE_MS;
    }

    private static String verb(CopyProgress progress, String learning, String restoring) {
        return progress.learning() ? learning : restoring;
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }
}
