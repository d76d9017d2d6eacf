// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import static io.segue.kafka.streams.FakeApplication.task;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsAssignment.AssignedTask.Type;
import org.apache.kafka.streams.processor.assignment.TaskAssignmentUtils;
import org.apache.kafka.streams.processor.assignment.TaskAssignor.AssignmentError;
import org.junit.jupiter.api.Test;

class KeepOwnersTest {
    @Test
    void shouldLeaveEveryTaskWithItsOwner() {
        FakeApplication application = new FakeApplication().stateful(0, 3)
                .with(new FakeProcess(1, 1).runs(task(0)).runs(task(1)).runs(task(2)))
                .with(new FakeProcess(2, 1).copy(task(2), 0));
        assertThat(owners(application)).containsOnly(Map.entry(task(0), 1L), Map.entry(task(1), 1L),
                Map.entry(task(2), 1L));
    }

    @Test
    void shouldPreferTheClaimOfTheOneThatRunsTheTask() {
        FakeApplication application = new FakeApplication().stateful(0, 1)
                .with(new FakeProcess(1, 1).owns(task(0), 30_000))
                .with(new FakeProcess(2, 1).runs(task(0)));
        assertThat(owners(application)).containsOnly(Map.entry(task(0), 2L));
    }

    @Test
    void shouldGiveATaskWithoutAnOwnerToItsNearestCopy() {
        FakeApplication application = new FakeApplication().stateful(0, 1)
                .with(new FakeProcess(1, 1).lacks(task(0), 1_000))
                .with(new FakeProcess(2, 1).copy(task(0), 50_000))
                .with(new FakeProcess(3, 1).copy(task(0), 400));
        assertThat(owners(application)).containsOnly(Map.entry(task(0), 3L));
    }

    @Test
    void shouldGiveATaskThatNobodyHasToTheOneWithTheFewestForItsThreads() {
        FakeApplication application = new FakeApplication().stateful(0, 4)
                .with(new FakeProcess(1, 1).runs(task(0)))
                .with(new FakeProcess(2, 4).runs(task(1)).runs(task(2)));
        assertThat(owners(application)).containsEntry(task(3), 2L);
    }

    @Test
    void shouldKeepTheNearestCopiesAsTheStandbysThatAreWanted() {
        FakeApplication application = new FakeApplication().stateful(0, 1).standbys(1)
                .with(new FakeProcess(1, 1).runs(task(0)))
                .with(new FakeProcess(2, 1).copy(task(0), 50_000))
                .with(new FakeProcess(3, 1).copy(task(0), 400));
        assertThat(holders(application, Type.STANDBY)).containsOnly(Map.entry(task(0), 3L));
    }

    @Test
    void shouldAlwaysGiveWhatKafkaStreamsAccepts() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int run = 0; run < 300; run++) {
            FakeApplication application = RandomApplications.next(random);
            assertThat(TaskAssignmentUtils.validateTaskAssignment(application, KeepOwners.of(application)))
                    .as("seed %d, %s", seed, application)
                    .isEqualTo(AssignmentError.NONE);
            assertThat(owners(application)).as("seed %d, %s", seed, application)
                    .containsOnlyKeys(application.allTasks().keySet());
        }
    }

    private static Map<TaskId, Long> owners(FakeApplication application) {
        return holders(application, Type.ACTIVE);
    }

    private static Map<TaskId, Long> holders(FakeApplication application, Type type) {
        Map<TaskId, Long> holders = new TreeMap<>();
        KeepOwners.of(application).assignment().forEach(process -> process.tasks().values().stream()
                .filter(task -> task.type() == type)
                .forEach(task -> holders.put(task.id(), process.processId().id().getLeastSignificantBits())));
        return holders;
    }
}
