// SPDX-License-Identifier: Apache-2.0
package io.segue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SegueTest {
    private final Segue segue = Segue.open();

    @AfterEach
    void close() {
        segue.close();
    }

    @Test
    void shouldBeAvailable() {
        assertThat(Segue.unavailabilityCause()).isEmpty();
        assertThat(Segue.isAvailable()).isTrue();
    }

    @Test
    void shouldSayItsVersion() {
        assertThat(Segue.version()).matches("\\d+\\.\\d+\\.\\d+");
    }

    @Test
    void shouldListTheAssignorsThatComeWithIt() {
        assertThat(segue.assignors()).extracting(AssignorInfo::name).contains("eager", "sticky", "learner");
        assertThat(segue.assignors()).filteredOn(AssignorInfo::cold).extracting(AssignorInfo::name)
                .contains("eager", "sticky");
    }

    @Test
    void shouldLetANewMemberLearn() {
        Plan plan = segue.assign("learner", oneOwnerAndOneNew(), Configuration.defaults());
        assertThat(plan.members()).containsExactly(
                new MemberPlan("S2", List.of(), List.of(), List.of("0_2", "0_3")),
                new MemberPlan("S1", List.of("0_0", "0_1", "0_2", "0_3"), List.of(), List.of()));
    }

    @Test
    void shouldGiveTheSamePlanFromAProcessOfThePlugin() {
        Configuration apart = Configuration.of(Map.of("segue.isolation", "process", "segue.max.faults", "2"));
        try (Segue isolated = Segue.open("", apart)) {
            assertThat(isolated.assignors()).isEqualTo(segue.assignors());
            Plan plan = isolated.assign("learner", oneOwnerAndOneNew(), apart);
            assertThat(plan.report().status()).isEqualTo("ok");
            assertThat(plan.report().plugin()).endsWith("segue-assignors.so");
            assertThat(plan.decisions())
                    .isEqualTo(segue.assign("learner", oneOwnerAndOneNew(), Configuration.defaults()).decisions());
            assertThat(isolated.metrics().byName()).containsEntry("plans", 1L).containsEntry("fallbacks", 0L)
                    .containsEntry("started", 1L).containsEntry("processes", 1L).containsEntry("aside", 0L);
            isolated.reinstateAll();
            assertThatThrownBy(() -> isolated.reinstate("nobody"))
                    .isInstanceOfSatisfying(SegueException.class,
                            fault -> assertThat(fault.status()).isEqualTo("no-such-name"));
        }
    }

    @Test
    void shouldRefuseAnIsolationThatThereIsNot() {
        assertThatThrownBy(() -> Segue.open("", Configuration.defaults().with("segue.isolation", "jail")))
                .hasMessageContaining("segue.isolation is 'jail': it must be none, thread or process");
        assertThatThrownBy(() -> Segue.open("", Configuration.defaults().with("segue.max.faults", "few")))
                .hasMessageContaining("segue.max.faults is 'few'");
    }

    @Test
    void shouldSayWhyAndWhenItGoesOn() {
        Plan plan = segue.assign("learner", oneOwnerAndOneNew(), Configuration.defaults());
        assertThat(plan.decisions()).extracting(Decision::text)
                .contains("S2 holds 0 of its quota of 2; S1 holds 4 of 2");
        assertThat(plan.followup())
                .isEqualTo(new Followup(true, OptionalLong.of(1_600_000), "learners-restoring"));
        assertThat(plan.stats().minMoves()).isEqualTo(2);
        assertThat(plan.report().fallback()).isFalse();
    }

    @Test
    void shouldHoldAConfiguredCap() {
        Configuration capped = Configuration.defaults().with("segue.max.learners", 1);
        assertThat(segue.assign("learner", oneOwnerAndOneNew(), capped).stats().learners()).isEqualTo(1);
    }

    @Test
    void shouldNameTheAssignorsThatThereAre() {
        assertThatThrownBy(() -> segue.assign("lerner", oneOwnerAndOneNew(), Configuration.defaults()))
                .asInstanceOf(InstanceOfAssertFactories.type(SegueException.class))
                .returns("no-such-name", SegueException::status)
                .extracting(Throwable::getMessage, InstanceOfAssertFactories.STRING)
                .contains("lerner", "learner", "sticky");
    }

    @Test
    void shouldNameTheNearestKey() {
        assertThatThrownBy(() -> Segue.check(Configuration.defaults().with("segue.max.lerners", 1)))
                .asInstanceOf(InstanceOfAssertFactories.type(SegueException.class))
                .returns("bad-config", SegueException::status)
                .extracting(Throwable::getMessage, InstanceOfAssertFactories.STRING)
                .contains("segue.max.learners");
    }

    @Test
    void shouldIgnoreForeignKeys() {
        Segue.check(Configuration.defaults().with("bootstrap.servers", "localhost:1"));
    }

    @Test
    void shouldRefuseToWorkWhenClosed() {
        segue.close();
        segue.close();
        assertThatThrownBy(segue::assignors).isInstanceOf(SegueException.class).hasMessageContaining("closed");
    }

    @Test
    void shouldIgnoreACopyOfATaskThatIsGone() {
        Group group = Group.builder().subtopology("0", 1)
                .member(Member.builder("S1").active("0_0", "7_7").build())
                .build();
        assertThat(segue.assign("learner", group, Configuration.defaults()).members().get(0).active())
                .containsExactly("0_0");
    }

    @Test
    void shouldPlanForAGroupWithoutTasks() {
        Group group = Group.builder().member(Member.builder("S1").build()).build();
        assertThat(segue.assign("learner", group, Configuration.defaults()).members()).hasSize(1);
    }

    @Test
    void shouldSortSubtopologiesByNumberAndMembersByBytes() {
        Group group = Group.builder().subtopology("10", 1).subtopology("9", 1).subtopology("name", 1)
                .member(Member.builder("\u00e4").active("10_0", "name_0", "9_0").build())
                .member(Member.builder("z").build())
                .build();
        assertThat(segue.assign("sticky", group, Configuration.defaults().with("num.standby.replicas", 1)).members())
                .extracting(MemberPlan::id).containsExactly("\u00e4", "z");
        assertThat(segue.assign("eager", group, Configuration.defaults()).members())
                .flatExtracting(MemberPlan::active).containsExactlyInAnyOrder("9_0", "10_0", "name_0");
    }

    @Test
    void shouldTakeRacksTagsLeavingAndSizes() {
        Task task = Task.stateful("0", 0).withWeight(2.5).withStateBytes(1 << 30)
                .withInputs(List.of(new InputPartition("orders", 0, Set.of("a", "b"))));
        Group group = Group.builder().tagKeys(List.of("zone")).task(task)
                .member(Member.builder("S1").rack("a").tags(Map.of("zone", "x")).active("0_0")
                        .leaving(new Leaving(0, OptionalLong.of(60_000))).build())
                .member(Member.builder("S2").rack("b").build())
                .build();
        Plan plan = segue.assign("scale-down", group, Configuration.defaults());
        assertThat(plan.members().get(1).learner()).containsExactly("0_0");
    }

    @Test
    void shouldAnswerManyThreadsAtOnce() throws Exception {
        Plan alone = segue.assign("learner", oneOwnerAndOneNew(), Configuration.defaults());
        Callable<List<MemberPlan>> call =
                () -> segue.assign("learner", oneOwnerAndOneNew(), Configuration.defaults()).members();
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            for (Future<List<MemberPlan>> answer : threads.invokeAll(Collections.nCopies(400, call))) {
                assertThat(answer.get()).isEqualTo(alone.members());
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static Group oneOwnerAndOneNew() {
        return Group.builder().nowMs(1_000_000).subtopology("0", 4)
                .member(Member.builder("S2").build())
                .member(Member.builder("S1").active("0_0", "0_1", "0_2", "0_3").build())
                .build();
    }
}
