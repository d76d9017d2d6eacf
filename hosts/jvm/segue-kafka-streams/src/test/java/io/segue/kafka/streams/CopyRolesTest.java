// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import static io.segue.kafka.streams.FakeApplication.process;
import static io.segue.kafka.streams.FakeApplication.task;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.assignment.ProcessId;
import org.junit.jupiter.api.Test;

import io.segue.Role;

class CopyRolesTest {
    @Test
    void shouldTakeTheCopiesOfAProcessBelowItsShareForLearners() {
        FakeApplication application = new FakeApplication().stateful(0, 4)
                .with(new FakeProcess(1, 1).runs(task(0)).runs(task(1)).runs(task(2)))
                .with(new FakeProcess(2, 1).runs(task(3)).copy(task(2), 9_000_000));
        assertThat(role(application, 2, task(2))).contains(Role.LEARNER);
    }

    @Test
    void shouldTakeWhatAFormerOwnerKeptForDormant() {
        FakeApplication application = new FakeApplication().stateful(0, 4)
                .with(new FakeProcess(1, 1).runs(task(0)).runs(task(1)).runs(task(2)).copy(task(3), 0))
                .with(new FakeProcess(2, 1).runs(task(3)).copy(task(2), 50));
        assertThat(role(application, 1, task(3))).contains(Role.DORMANT);
    }

    @Test
    void shouldTakeNoCopyForALearnerOnceAllIsBalanced() {
        FakeApplication application = new FakeApplication().stateful(0, 5)
                .with(new FakeProcess(1, 1).runs(task(0)).runs(task(1)).runs(task(2)))
                .with(new FakeProcess(2, 1).runs(task(3)).runs(task(4)).copy(task(2), 50));
        assertThat(role(application, 2, task(2))).contains(Role.DORMANT);
    }

    @Test
    void shouldTakeTheNearestCopyForTheStandbyThatIsWanted() {
        FakeApplication application = new FakeApplication().stateful(0, 3).standbys(1)
                .with(new FakeProcess(1, 1).runs(task(0)))
                .with(new FakeProcess(2, 1).runs(task(1)).copy(task(0), 700))
                .with(new FakeProcess(3, 1).runs(task(2)).copy(task(0), 20));
        assertThat(role(application, 3, task(0))).contains(Role.STANDBY);
        assertThat(role(application, 2, task(0))).contains(Role.DORMANT);
    }

    @Test
    void shouldTakeTheTargetOfATaskWithoutAnOwnerForItsLearnerAndTheFormerOwnerNot() {
        FakeApplication application = new FakeApplication().stateful(0, 4)
                .with(new FakeProcess(1, 1).runs(task(0)).runs(task(1)).copy(task(2), 0))
                .with(new FakeProcess(2, 1).runs(task(3)).copy(task(2), 0));
        assertThat(role(application, 2, task(2))).contains(Role.LEARNER);
        assertThat(role(application, 1, task(2))).contains(Role.DORMANT);
    }

    @Test
    void shouldTakeACopyThatFollowsForTheStandbyRatherThanTheFormerOwnersBetweenTheRoundsOfAHandOver() {
        FakeApplication application = new FakeApplication().stateful(0, 6).standbys(1)
                .with(new FakeProcess(1, 1).runs(task(0)).runs(task(1)).copy(task(2), 0))
                .with(new FakeProcess(2, 1).runs(task(3)).runs(task(4)).copy(task(2), 30))
                .with(new FakeProcess(3, 1).runs(task(5)).copy(task(2), 20));
        assertThat(role(application, 3, task(2))).contains(Role.LEARNER);
        assertThat(role(application, 2, task(2))).contains(Role.STANDBY);
        assertThat(role(application, 1, task(2))).contains(Role.DORMANT);
    }

    @Test
    void shouldTakeTheCopyOfTheProcessThatLacksTasksForTheLearnerOfATaskWithoutAnOwner() {
        FakeApplication application = new FakeApplication().stateful(0, 6).standbys(2)
                .with(new FakeProcess(1, 1).runs(task(4)).runs(task(5)).copy(task(3), 0))
                .with(new FakeProcess(2, 1).runs(task(2)).copy(task(3), 0))
                .with(new FakeProcess(3, 2).copy(task(3), 0));
        assertThat(role(application, 3, task(3))).contains(Role.LEARNER);
        assertThat(role(application, 2, task(3))).contains(Role.STANDBY);
    }

    @Test
    void shouldCountTheShareByThreads() {
        FakeApplication application = new FakeApplication().stateful(0, 6)
                .with(new FakeProcess(1, 1).runs(task(0)).runs(task(1)).runs(task(2)).copy(task(5), 10))
                .with(new FakeProcess(2, 2).runs(task(3)).runs(task(4)).runs(task(5)).copy(task(2), 10));
        assertThat(role(application, 2, task(2))).contains(Role.LEARNER);
        assertThat(role(application, 1, task(5))).contains(Role.DORMANT);
    }

    @Test
    void shouldSeeNoCopyOfATaskThatHasNoStateAnyMore() {
        FakeApplication application = new FakeApplication().stateful(0, 1).with(new FakeProcess(1, 1).runs(task(0)));
        assertThat(role(application, 1, new TaskId(3, 3))).isEmpty();
    }

    @Test
    void shouldTakeTheCopyOfALeaversTaskForALearnerThoughItsOwnerHasNoMoreThanOthers() {
        FakeApplication application = new FakeApplication().stateful(0, 3)
                .with(new FakeProcess(1, 1).runs(task(0)).copy(task(2), 900))
                .with(new FakeProcess(2, 1).runs(task(1)))
                .with(new FakeProcess(3, 1).runs(task(2)));
        assertThat(role(application, 1, task(2))).contains(Role.DORMANT);
        assertThat(role(application, 1, task(2), process(3))).contains(Role.LEARNER);
    }

    @Test
    void shouldTakeTheLeaversCopyForNoLearnerBetweenTheRoundsOfItsHandOver() {
        FakeApplication application = new FakeApplication().stateful(0, 3)
                .with(new FakeProcess(1, 1).runs(task(0)).copy(task(2), 0))
                .with(new FakeProcess(2, 1).runs(task(1)))
                .with(new FakeProcess(3, 1).copy(task(2), 0));
        assertThat(role(application, 1, task(2), process(3))).contains(Role.LEARNER);
        assertThat(role(application, 3, task(2), process(3))).contains(Role.DORMANT);
    }

    @Test
    void shouldCountSharesAsEverWhenAllAreLeaving() {
        FakeApplication application = new FakeApplication().stateful(0, 4)
                .with(new FakeProcess(1, 1).runs(task(0)).runs(task(1)).runs(task(2)).runs(task(3)))
                .with(new FakeProcess(2, 1).copy(task(2), 50));
        assertThat(role(application, 2, task(2), process(1), process(2))).contains(Role.LEARNER);
    }

    private static Optional<Role> role(FakeApplication application, int number, TaskId task, ProcessId... leaving) {
        return new CopyRoles(
                        ProcessView.all(application), new TreeSet<>(application.allTasks().keySet()),
                        application.assignmentConfigs(), Set.of(leaving))
                .of(process(number), task);
    }
}
