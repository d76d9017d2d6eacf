// SPDX-License-Identifier: Apache-2.0
package io.segue.kafka.streams;

import static io.segue.kafka.streams.FakeApplication.process;
import static io.segue.kafka.streams.FakeApplication.task;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsAssignment;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsAssignment.AssignedTask;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsAssignment.AssignedTask.Type;
import org.apache.kafka.streams.processor.assignment.TaskAssignmentUtils;
import org.apache.kafka.streams.processor.assignment.TaskAssignor.AssignmentError;
import org.apache.kafka.streams.processor.assignment.TaskAssignor.TaskAssignment;
import org.junit.jupiter.api.Test;

class SegueTaskAssignorTest {
    private static final long END = 100_000;

    private final SegueTaskAssignor assignor = new SegueTaskAssignor();

    @Test
    void shouldLetANewProcessLearnWhileTheOwnersServe() {
        TaskAssignment next = assignor.assign(oneOwnerAndOneNew());
        assertThat(active(next, 1)).containsExactly(task(0), task(1), task(2), task(3));
        assertThat(standby(next, 2)).containsExactly(task(2), task(3));
    }

    @Test
    void shouldGoOnWithTheSameLearnersWhileTheyRestore() {
        TaskAssignment next = assignor.assign(new FakeApplication().stateful(0, 4)
                .with(new FakeProcess(1, 1).runs(task(0)).runs(task(1)).runs(task(2)).runs(task(3)))
                .with(new FakeProcess(2, 1).copy(task(2), 60_000).copy(task(3), 40_000)));
        assertThat(standby(next, 2)).containsExactly(task(2), task(3));
    }

    @Test
    void shouldHandOverWhatIsCaughtUpAndMakeEverybodyRejoinAtOnce() {
        TaskAssignment next = assignor.assign(new FakeApplication().stateful(0, 4)
                .with(new FakeProcess(1, 1).runs(task(0)).runs(task(1)).runs(task(2)).runs(task(3)))
                .with(new FakeProcess(2, 1).copy(task(2), 10).copy(task(3), 0)));
        assertThat(active(next, 2)).containsExactly(task(2), task(3));
        assertThat(followups(next)).hasSize(2).allMatch(at -> at.isBefore(Instant.now().plusSeconds(1)));
    }

    /** Kafka calls both copies a previous standby with the same lag; only what the processes own tells them apart. */
    @Test
    void shouldKeepTheTargetInTheMiddleRoundOfAHandOver() {
        TaskAssignment next = assignor.assign(new FakeApplication().stateful(0, 4)
                .with(new FakeProcess(1, 1).runs(task(0)).runs(task(1)).copy(task(2), 0).copy(task(3), 0))
                .with(new FakeProcess(2, 1).copy(task(2), 0).copy(task(3), 0)));
        assertThat(active(next, 2)).containsExactly(task(2), task(3));
        assertThat(followups(next)).isEmpty();
    }

    @Test
    void shouldKeepTheTargetInTheMiddleRoundWhereTheFormerOwnerIsNearer() {
        TaskAssignment next = assignor.assign(new FakeApplication().stateful(0, 4)
                .with(new FakeProcess(1, 1).runs(task(0)).runs(task(1)).copy(task(2), 0).copy(task(3), 0))
                .with(new FakeProcess(2, 1).copy(task(2), 900).copy(task(3), 800)));
        assertThat(active(next, 2)).containsExactly(task(2), task(3));
    }

    @Test
    void shouldGoOnWithTheOtherLearnersAfterTheFirstOneOwns() {
        TaskAssignment next = assignor.assign(new FakeApplication().stateful(0, 4)
                .with(new FakeProcess(1, 1).runs(task(0)).runs(task(1)).runs(task(2)).copy(task(3), 5))
                .with(new FakeProcess(2, 1).copy(task(2), 60_000).runs(task(3))));
        assertThat(standby(next, 2)).containsExactly(task(2));
    }

    @Test
    void shouldLetANewProcessLearnWhatIsReadInItsRack() {
        TaskAssignment next = assignor.assign(oneOwnerInAAndOneNewInB("min_traffic"));
        assertThat(standby(next, 2)).containsExactly(task(0), task(2));
    }

    @Test
    void shouldLookAtNoRacksWithoutAStrategy() {
        TaskAssignment next = assignor.assign(oneOwnerInAAndOneNewInB("none"));
        assertThat(standby(next, 2)).containsExactly(task(2), task(3));
    }

    @Test
    void shouldAskForOneProbingRebalanceWhileLearnersRestore() {
        TaskAssignment next = assignor.assign(oneOwnerAndOneNew());
        assertThat(followups(next)).singleElement().satisfies(at -> assertThat(at).isAfter(Instant.now().plusSeconds(500)));
    }

    @Test
    void shouldWarmUpTwoAndProbeLaterWithTheBaseline() {
        SegueTaskAssignor baseline = new SegueTaskAssignor();
        baseline.configure(Map.of("segue.assignor", "high-availability"));
        FakeProcess owner = new FakeProcess(1, 1);
        for (int number = 0; number < 8; number++) {
            owner.runs(task(number));
        }
        TaskAssignment next = baseline.assign(
                new FakeApplication().stateful(0, 8).with(owner).with(new FakeProcess(2, 1)));
        assertThat(standby(next, 2)).hasSize(2);
        assertThat(active(next, 1)).hasSize(8);
        assertThat(followups(next)).singleElement().satisfies(at -> assertThat(at).isAfter(Instant.now().plusSeconds(500)));
    }

    @Test
    void shouldNotAskForAnotherRebalanceWhenNothingIsLeftToDo() {
        TaskAssignment next = assignor.assign(new FakeApplication().stateful(0, 2)
                .with(new FakeProcess(1, 1).runs(task(0)).copy(task(1), 50))
                .with(new FakeProcess(2, 1).runs(task(1)).copy(task(0), 50)));
        assertThat(followups(next)).isEmpty();
    }

    @Test
    void shouldNotAskForARevocationOfATaskThatIsGone() {
        TaskAssignment next = assignor.assign(
                new FakeApplication().stateful(0, 1).with(new FakeProcess(1, 1).runs(task(0)).owns(task(7), -2)));
        assertThat(followups(next)).isEmpty();
    }

    @Test
    void shouldMoveATaskWithStoresButWithoutAChangelogAtOnce() {
        FakeApplication application = new FakeApplication().stateful(0, 4).stateful(1, 2)
                .with(new FakeProcess(1, 1).runs(task(0)).runs(task(1)).runs(task(2)).runs(task(3))
                        .runsUnlogged(new TaskId(1, 0)).runsUnlogged(new TaskId(1, 1)))
                .with(new FakeProcess(2, 1));
        TaskAssignment next = assignor.assign(application);
        assertThat(active(next, 2)).containsExactly(new TaskId(1, 1));
    }

    @Test
    void shouldGiveATaskWithoutAnOwnerToItsNearestCopyWhenNoLagIsKnownOfTheOthers() {
        TaskAssignment next = assignor.assign(new FakeApplication().stateful(0, 1)
                .with(new FakeProcess(1, 1).copy(task(0), FakeProcess.UNKNOWN))
                .with(new FakeProcess(2, 1).copy(task(0), 70_000))
                .with(new FakeProcess(3, 1).lacks(task(0), END)));
        assertThat(active(next, 2)).containsExactly(task(0));
    }

    @Test
    void shouldKeepTheOwnersWhenNoLagIsKnown() {
        TaskAssignment next = assignor.assign(new FakeApplication().stateful(0, 2)
                .with(new FakeProcess(1, 1).owns(task(0), -2).owns(task(1), FakeProcess.UNKNOWN))
                .with(new FakeProcess(2, 1).lacks(task(0), FakeProcess.UNKNOWN).lacks(task(1), FakeProcess.UNKNOWN)));
        assertThat(active(next, 1)).containsExactly(task(0), task(1));
    }

    @Test
    void shouldNotTakeKafkasDefaultOfTwoWarmupsAsACap() {
        FakeApplication application = new FakeApplication().stateful(0, 12).with(new FakeProcess(2, 1));
        FakeProcess owner = new FakeProcess(1, 1);
        application.allTasks().keySet().forEach(owner::runs);
        assertThat(standby(assignor.assign(application.with(owner)), 2)).hasSize(6);
    }

    @Test
    void shouldHoldOurOwnCapOnLearners() {
        assignor.configure(Map.of("segue.max.learners", "1"));
        assertThat(standby(assignor.assign(oneOwnerAndOneNew()), 2)).hasSize(1);
    }

    @Test
    void shouldAskTheAssignorThatIsConfigured() {
        assignor.configure(Map.of("segue.assignor", "sticky"));
        assertThat(active(assignor.assign(oneOwnerAndOneNew()), 2)).hasSize(2);
    }

    @Test
    void shouldKeepTheOwnersWhenThereIsNoPlan() {
        long before = SegueTaskAssignor.keptAssignments();
        FakeApplication application = new FakeApplication().stateful(0, 3).broken()
                .with(new FakeProcess(1, 1).runs(task(0)).runs(task(1)))
                .with(new FakeProcess(2, 1).copy(task(2), 5))
                .with(new FakeProcess(3, 1));
        TaskAssignment next = assignor.assign(application);
        assertThat(active(next, 1)).containsExactly(task(0), task(1));
        assertThat(active(next, 2)).containsExactly(task(2));
        assertThat(SegueTaskAssignor.keptAssignments()).isEqualTo(before + 1);
        assertThat(TaskAssignmentUtils.validateTaskAssignment(application, next)).isEqualTo(AssignmentError.NONE);
    }

    @Test
    void shouldNeverThrowAndAlwaysGiveWhatKafkaStreamsAccepts() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        long kept = SegueTaskAssignor.keptAssignments();
        for (int run = 0; run < 1_000; run++) {
            FakeApplication application = RandomApplications.next(random);
            TaskAssignment next = assignor.assign(application);
            assertThat(TaskAssignmentUtils.validateTaskAssignment(application, next))
                    .as("seed %d, %s", seed, application)
                    .isEqualTo(AssignmentError.NONE);
            assertThat(next.assignment().stream().flatMap(process -> process.tasks().values().stream())
                            .filter(task -> task.type() == Type.ACTIVE))
                    .as("seed %d, %s", seed, application)
                    .hasSameSizeAs(application.allTasks().keySet());
        }
        assertThat(SegueTaskAssignor.keptAssignments()).as("plans that failed, seed %d", seed).isEqualTo(kept);
    }

    @Test
    void shouldSayWhatItDidInOneLine() {
        StringBuilder line = new StringBuilder();
        AssignmentListener.Registration listening = SegueTaskAssignor.listen(line::append);
        assignor.assign(oneOwnerAndOneNew());
        listening.close();
        assertThat(line.toString())
                .startsWith("assigned by learner: tasks=4 processes=2 learners=2 moves=0 min_moves=2 followup=")
                .contains("max_learners=none")
                .doesNotContain("fallback");
    }

    @Test
    void shouldAskTheAssignorThatIsWishedFor() {
        SegueTaskAssignor told = told("sticky");

        assertThat(active(told.assign(oneOwnerAndOneNew()), 2)).hasSize(2);
    }

    @Test
    void shouldAskItsOwnWhereItDoesNotHaveWhatIsWishedFor() {
        SegueTaskAssignor told = told("newest");

        assertThat(standby(told.assign(oneOwnerAndOneNew()), 2)).hasSize(2);
    }

    @Test
    void shouldReportWhatItLed() {
        Draft draft = new Draft();
        assignor.configure(Map.of(Draft.KEY, draft));
        assignor.assign(oneOwnerAndOneNew());

        LedRound round = draft.take().orElseThrow();
        assertThat(round.recorded().orElseThrow().plan().stats().minMoves()).isEqualTo(2);
        Led led = round.led();
        assertThat(led.assignor()).isEqualTo("learner");
        assertThat(led.plugin()).isEqualTo("segue-assignors");
        assertThat(led.pluginVersion()).matches("\\d+\\.\\d+\\.\\d+");
        assertThat(led.fields()).containsEntry("tasks", 4L).containsEntry("members", 2L).containsEntry("moves", 0L)
                .containsEntry("min_moves", 2L).containsEntry("learners", 2L)
                .containsEntry("followup", "learners-restoring").doesNotContainKey("fault");
        assertThat(draft.take()).isEmpty();
    }

    @Test
    void shouldReportAFault() {
        Draft draft = new Draft();
        assignor.configure(Map.of(Draft.KEY, draft));
        assignor.assign(new FakeApplication().stateful(0, 1).broken().with(new FakeProcess(1, 1).runs(task(0))));

        assertThat(draft.take().orElseThrow().led().fault()).isPresent();
    }

    private static SegueTaskAssignor told(String name) {
        return new SegueTaskAssignor(AssignorSettings.of(Map.of("segue.assignor", "learner"))
                .with(all -> new News(Map.of(), Optional.of(new Swap(name, 1, "a test")))));
    }

    @Test
    void shouldRefuseAnAssignorThatDoesNotExist() {
        assertThatThrownBy(() -> assignor.configure(Map.of("segue.assignor", "lerner")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("lerner")
                .hasMessageContaining("there are eager, sticky, learner");
    }

    @Test
    void shouldRefuseAMisspeltKeyAndNameTheNearest() {
        assertThatThrownBy(() -> assignor.configure(Map.of("segue.max.lerners", "3")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("segue.max.lerners")
                .hasMessageContaining("segue.max.learners");
    }

    @Test
    void shouldRefuseAValueOutOfRange() {
        assertThatThrownBy(() -> assignor.configure(Map.of("segue.max.learners", "-1")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("segue.max.learners");
    }

    @Test
    void shouldIgnoreTheKeysOfOthers() {
        assignor.configure(Map.of("bootstrap.servers", "localhost:1", "max.warmup.replicas", "0", "unheard.of", 3));
        assertThat(standby(assignor.assign(oneOwnerAndOneNew()), 2)).hasSize(2);
    }

    @Test
    void shouldKeepStandbysWhereTheirTagsDiffer() {
        TaskAssignment next = assignor.assign(new FakeApplication().stateful(0, 3).standbys(1).tagKeys("zone")
                .with(new FakeProcess(1, 1).tag("zone", "a").runs(task(0)).lacks(task(1), END).lacks(task(2), END))
                .with(new FakeProcess(2, 1).tag("zone", "a").runs(task(1)).lacks(task(0), END).lacks(task(2), END))
                .with(new FakeProcess(3, 1).tag("zone", "b").runs(task(2)).lacks(task(0), END).lacks(task(1), END)));
        assertThat(standby(next, 3)).containsExactly(task(0), task(1));
    }

    private static FakeApplication oneOwnerInAAndOneNewInB(String strategy) {
        return new FakeApplication().rackStrategy(strategy).inputsIn("b", "a").stateful(0, 4)
                .with(new FakeProcess(1, 1).rack("a").runs(task(0)).runs(task(1)).runs(task(2)).runs(task(3)))
                .with(new FakeProcess(2, 1).rack("b").lacks(task(0), END).lacks(task(1), END).lacks(task(2), END)
                        .lacks(task(3), END));
    }

    private static FakeApplication oneOwnerAndOneNew() {
        return new FakeApplication().stateful(0, 4)
                .with(new FakeProcess(1, 1).runs(task(0)).runs(task(1)).runs(task(2)).runs(task(3)))
                .with(new FakeProcess(2, 1).lacks(task(0), END).lacks(task(1), END).lacks(task(2), END)
                        .lacks(task(3), END));
    }

    private static Set<TaskId> active(TaskAssignment next, int number) {
        return tasks(next, number, Type.ACTIVE);
    }

    private static Set<TaskId> standby(TaskAssignment next, int number) {
        return tasks(next, number, Type.STANDBY);
    }

    private static Set<TaskId> tasks(TaskAssignment next, int number, Type type) {
        return next.assignment().stream()
                .filter(process -> process.processId().equals(process(number)))
                .flatMap(process -> process.tasks().values().stream())
                .filter(task -> task.type() == type)
                .map(AssignedTask::id)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static List<Instant> followups(TaskAssignment next) {
        return next.assignment().stream()
                .map(KafkaStreamsAssignment::followupRebalanceDeadline)
                .flatMap(Optional::stream)
                .toList();
    }
}
