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
    private static final long LOOK_MS = 150;

    private final Timeline timeline;
    private final Runnable alsoLook;
    private final List<Instance> instances = new CopyOnWriteArrayList<>();
    private final Map<String, Told> told = new HashMap<>();
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "segue-demo-progress");
        thread.setDaemon(true);
        return thread;
    });

    /** What was last seen and said of an instance. */
    private record Told(long begunAt, int tasks, boolean begun, boolean complete) {
        Told withBegun() {
            return new Told(begunAt, tasks, true, complete);
        }

        Told withComplete() {
            return new Told(begunAt, tasks, true, true);
        }
    }

    /** @param alsoLook is run each time as well */
    CopyReporter(Timeline timeline, Runnable alsoLook) {
        this.timeline = timeline;
        this.alsoLook = alsoLook;
        clock.scheduleWithFixedDelay(this::look, LOOK_MS, LOOK_MS, TimeUnit.MILLISECONDS);
    }

    void watch(Instance instance) {
        instances.add(instance);
    }

    private void look() {
        alsoLook.run();
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
            told.put(name, new Told(before == null ? now : before.begunAt(), progress.tasks(), false, false));
        } else if (!before.begun()) {
            timeline.say("%s %s %d %s", name, verb(progress, "learns", "restores, cold,"), progress.tasks(),
                    progress.tasks() == 1 ? "task" : "tasks");
            told.put(name, before.withBegun());
        } else if (progress.complete() && !before.complete()) {
            timeline.say("%s is ready: %d of %d tasks caught up after %.1f s",
                    name, progress.ready(), progress.tasks(), (now - before.begunAt()) / 1000.0);
            told.put(name, before.withComplete());
        } else if (!progress.complete()) {
            timeline.progress(
                    name + " " + verb(progress, "learning", "restoring"), progress.loaded(), progress.total());
        }
    }

    private static String verb(CopyProgress progress, String learning, String restoring) {
        return progress.learning() ? learning : restoring;
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }
}
