// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import java.util.Random;

import org.apache.kafka.streams.processor.TaskId;

/** Whatever Kafka Streams might report, sense or nonsense: tasks claimed twice, tasks that are gone, unknown lags. */
final class RandomApplications {
    private static final long[] LAGS = {0, 1, 10_000, 10_001, 5_000_000, FakeProcess.UNKNOWN, Long.MAX_VALUE};

    private RandomApplications() {}

    static FakeApplication next(Random random) {
        int stateful = random.nextInt(12);
        int stateless = random.nextInt(5);
        FakeApplication application = new FakeApplication()
                .stateful(0, stateful).stateless(1, stateless).standbys(random.nextInt(3));
        int processes = 1 + random.nextInt(6);
        for (int number = 1; number <= processes; number++) {
            FakeProcess process = new FakeProcess(number, 1 + random.nextInt(4));
            for (int partition = 0; partition < stateful; partition++) {
                hold(random, process, FakeApplication.task(partition), processes);
            }
            for (int partition = 0; partition < stateless; partition++) {
                if (random.nextInt(processes) == 0) {
                    process.runsUnlogged(new TaskId(1, partition));
                }
            }
            if (random.nextInt(20) == 0) {
                process.owns(new TaskId(9, 9), FakeProcess.RUNS_THERE);
            }
            application.with(process);
        }
        return application;
    }

    private static void hold(Random random, FakeProcess process, TaskId task, int processes) {
        long lag = LAGS[random.nextInt(LAGS.length)];
        int kind = random.nextInt(2 * processes);
        if (kind == 0) {
            process.owns(task, random.nextBoolean() ? FakeProcess.RUNS_THERE : lag);
        } else if (kind < processes) {
            process.copy(task, lag);
        } else {
            process.lacks(task, lag);
        }
    }
}
