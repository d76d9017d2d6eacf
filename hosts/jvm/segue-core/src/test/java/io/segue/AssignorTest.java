// SPDX-License-Identifier: Apache-2.0
package io.segue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Assignors that are written in Java: asked by C, judged like any other. */
class AssignorTest {
    private final Segue segue = Segue.open();

    @AfterEach
    void close() {
        segue.close();
    }

    @Test
    void shouldBeAskedByItsName() {
        segue.register("keeping", (group, configuration) -> Proposal.of(List.of(
                new MemberPlan("S1", List.of("0_0", "0_1"), List.of(), List.of()),
                new MemberPlan("S2", List.of(), List.of(), List.of("0_1")))));
        Plan plan = plan("keeping");
        assertThat(plan.report().fallback()).as(plan.report().text()).isFalse();
        assertThat(plan.members()).contains(new MemberPlan("S2", List.of(), List.of(), List.of("0_1")));
        assertThat(plan.stats().learners()).isEqualTo(1);
        assertThat(plan.followup()).isEqualTo(new Followup(true, OptionalLong.empty(), "learners-restoring"));
    }

    @Test
    void shouldBeListedFirstWithWhatItSaysOfItself() {
        segue.register("described", new Described());
        AssignorInfo first = segue.assignors().get(0);
        assertThat(first.name()).isEqualTo("described");
        assertThat(first.version()).isEqualTo("2.1");
        assertThat(first.summary()).isEqualTo("größer");
        assertThat(first.cold()).isTrue();
        assertThat(first.plugin()).isEqualTo("(registered)");
    }

    @Test
    void shouldSeeWhatWasAsked() {
        Group asked = Group.builder()
                .nowMs(77)
                .tagKeys(List.of("zone"))
                .task(Task.stateful("0", 0).withWeight(2.5).withStateBytes(9).withInputs(
                        List.of(new InputPartition("t", 0, Set.of("r1", "r2")), new InputPartition("t", 1, Set.of("r2")))))
                .task(Task.stateless("x", 3))
                .member(Member.builder("ü").process("p").threads(3).rack("r1").tags(Map.of("zone", "a")).active("0_0")
                        .leaving(new Leaving(5, OptionalLong.of(6))).build())
                .member(Member.builder("b").copy(Copy.of("0_0", Role.STANDBY, 8)).build())
                .build();
        AtomicReference<Group> group = new AtomicReference<>();
        AtomicReference<Configuration> configuration = new AtomicReference<>();
        segue.register("looking", (given, configured) -> {
            group.set(given);
            configuration.set(configured);
            return Proposal.of(List.of());
        });
        segue.assign("looking", asked, Configuration.defaults().with("num.standby.replicas", 2)
                .with("stream.imbalance.percentage", 12.5).with("segue.spread.subtopologies", true)
                .with("rack.aware.assignment.strategy", "min_traffic").with("segue.max.compute.ms", 40));
        assertThat(configuration.get().values()).isEqualTo(Map.of(
                "num.standby.replicas", "2", "stream.imbalance.percentage", "12.5",
                "segue.spread.subtopologies", "true", "rack.aware.assignment.strategy", "min_traffic",
                "segue.max.compute.ms", "40"));
        assertThat(group.get().nowMs()).isEqualTo(77);
        assertThat(group.get().tagKeys()).containsExactly("zone");
        assertThat(group.get().members()).extracting(Member::id).containsExactly("b", "ü");
        assertThat(group.get().members().get(1)).isEqualTo(asked.members().get(0));
        assertThat(group.get().tasks().get(0)).isEqualTo(Task.stateful("0", 0).withWeight(2.5).withStateBytes(9)
                .withInputs(List.of(new InputPartition("", 0, Set.of("r1", "r2")), new InputPartition("", 1, Set.of("r2")))));
        assertThat(group.get().tasks().get(1)).isEqualTo(Task.stateless("x", 3));
    }

    @ParameterizedTest
    @ValueSource(strings = {"learner", "balanced", "high-availability", "eager"})
    void shouldHandOnAnotherAssignorsPlanUnchangedForAnyGroup(String name) {
        segue.register("through", new Through(name));
        RandomGroups groups = new RandomGroups(new Random(7));
        for (int round = 0; round < 60; round++) {
            Group group = groups.next();
            Plan through = segue.assign("through", group, Configuration.defaults());
            Plan plain = segue.assign(name, group, Configuration.defaults());
            assertThat(through.report().fallback()).as("round %d: %s", round, through.report().text()).isFalse();
            assertThat(through.members()).as("round %d", round).isEqualTo(plain.members());
            assertThat(through.followup()).as("round %d", round).isEqualTo(plain.followup());
            assertThat(through.stats().minMoves()).as("round %d", round).isEqualTo(plain.stats().minMoves());
        }
    }

    @Test
    void shouldBeJudgedLikeAnyOther() {
        List<MemberPlan> cold = List.of(new MemberPlan("S2", List.of("0_0", "0_1"), List.of(), List.of()));
        segue.register("cold", (group, configuration) -> Proposal.of(cold));
        Plan plan = plan("cold");
        assertThat(plan.report().rule()).isEqualTo(4);
        assertThat(plan.members()).contains(new MemberPlan("S1", List.of("0_0", "0_1"), List.of(), List.of()));
        segue.register("cold", new Described());
        assertThat(plan("cold").stats().moves()).isEqualTo(2);
    }

    @Test
    void shouldBecomeAFaultInWordsWhenItThrows() {
        assertThat(faultOf((group, configuration) -> {
            throw new IllegalStateException("no room");
        })).isEqualTo("IllegalStateException: no room");
        assertThat(faultOf((group, configuration) -> {
            throw new StackOverflowError();
        })).isEqualTo("StackOverflowError");
        assertThat(faultOf((group, configuration) -> null)).isEqualTo("IllegalArgumentException: it answered with null");
        assertThat(faultOf((group, configuration) -> {
            throw new IllegalStateException("no room".repeat(100_000));
        })).startsWith("IllegalStateException: no roomno room");
        assertThat(faultOf((group, configuration) -> {
            throw new Unsayable();
        })).isEqualTo("Unsayable");
    }

    @Test
    void shouldBecomeAFaultInWordsWhenItsPlanIsNone() {
        assertThat(faultOf(answering("S9", "0_0"))).contains("its plan: the group has no member S9");
        assertThat(faultOf(answering("S1", "0_7"))).contains("its plan: the group has no task 0_7");
        assertThat(faultOf((group, configuration) -> Proposal.of(List.of(
                new MemberPlan("S1", List.of("0_0"), List.of(), List.of()),
                new MemberPlan("S2", List.of("0_0"), List.of(), List.of())))))
                .contains("its plan: task 0_0 is active on S1 already");
        assertThat(faultOf((group, configuration) -> Proposal.of(List.of())
                .withFollowup(new Followup(true, OptionalLong.empty(), "boredom"))))
                .contains("its plan: boredom is no reason for a follow-up");
        assertThat(faultOf((group, configuration) -> Proposal.of(List.of(
                new MemberPlan("S1", List.of("0_0", "0_1"), List.of(), List.of()),
                new MemberPlan("S2", List.of(), List.of("0_0"), List.of())))))
                .contains("there are 1 standbys, and 0 are the most wanted");
    }

    @Test
    void shouldRefuseNamesThatNoneMayHave() {
        assertThatThrownBy(() -> segue.register("My Own", new Described()))
                .isInstanceOf(SegueException.class)
                .hasMessageContaining("\"My Own\" is given");
        assertThatThrownBy(() -> segue.unregister("nobody")).hasMessageContaining("no assignor nobody is registered");
    }

    @Test
    void shouldStandBeforeAPluginsOfItsNameUntilItGoes() {
        segue.register("learner", answering("S1", "0_0", "0_1"));
        assertThat(plan("learner").stats().learners()).isZero();
        segue.unregister("learner");
        assertThat(plan("learner").stats().learners()).isEqualTo(1);
    }

    @Test
    void shouldNotCloseTheInstanceThatAsks() {
        assertThat(faultOf((group, configuration) -> {
            segue.close();
            return Proposal.of(List.of());
        })).contains("an assignor cannot close the instance of Segue that asks it");
        assertThat(plan("learner").report().fallback()).isFalse();
    }

    @Test
    void shouldBeThereInEveryInstanceThatIsOpenedLater() {
        Segue.registerForAll("for-all", answering("S1", "0_0", "0_1"));
        try (Segue later = Segue.open()) {
            assertThat(later.assign("for-all", group(), Configuration.defaults()).report().fallback()).isFalse();
        } finally {
            Segue.unregisterForAll("for-all");
        }
    }

    @Test
    void shouldBeLetGoOnceItIsReplacedUnregisteredOrClosed() throws InterruptedException {
        List<WeakReference<Assignor>> gone = new ArrayList<>();
        try (Segue own = Segue.open()) {
            for (String name : List.of("a", "a", "b", "c")) {
                Assignor assignor = new Through("learner");
                gone.add(new WeakReference<>(assignor));
                own.register(name, assignor);
                own.assign(name, group(), Configuration.defaults());
            }
            own.unregister("b");
        }
        for (int tries = 0; tries < 200 && gone.stream().anyMatch(one -> one.get() != null); tries++) {
            System.gc();
            Thread.sleep(10);
        }
        assertThat(gone).allSatisfy(one -> assertThat(one.get()).isNull());
    }

    @Test
    void shouldLoseNoPlanWhileItIsSwapped() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        segue.register("swapped", new Through("learner"));
        ExecutorService threads = Executors.newFixedThreadPool(4);
        List<Future<Integer>> asking = new ArrayList<>();
        for (int thread = 0; thread < 4; thread++) {
            asking.add(threads.submit(() -> {
                int faults = 0;
                while (!over.get()) {
                    faults += plan("swapped").report().fallback() ? 1 : 0;
                }
                return faults;
            }));
        }
        for (int turn = 0; turn < 500; turn++) {
            segue.register("swapped", turn % 2 == 0 ? answering("S1", "0_0", "0_1") : new Through("learner"));
        }
        over.set(true);
        for (Future<Integer> one : asking) {
            assertThat(one.get()).isZero();
        }
        threads.shutdown();
    }

    private static Group group() {
        return Group.builder().subtopology("0", 2)
                .member(Member.builder("S1").active("0_0", "0_1").build())
                .member(Member.builder("S2").build()).build();
    }

    private Plan plan(String name) {
        return segue.assign(name, group(), Configuration.defaults());
    }

    private String faultOf(Assignor assignor) {
        segue.register("odd", assignor);
        Report report = plan("odd").report();
        assertThat(report.fallback()).isTrue();
        return report.text();
    }

    /** Says nothing of itself, neither to a report nor to a log. */
    private static final class Unsayable extends RuntimeException {
        private static final long serialVersionUID = 1;

        @Override
        public String getMessage() {
            throw new IllegalStateException("no message");
        }
    }

    private static Assignor answering(String member, String... active) {
        return (group, configuration) -> Proposal.of(List.of(
                new MemberPlan(member, List.of(active), List.of(), List.of())));
    }

    /** Hands on what another one says, and says the same of itself. */
    private final class Through implements Assignor {
        private final String name;

        Through(String name) {
            this.name = name;
        }

        @Override
        public Proposal assign(Group group, Configuration configuration) {
            return Proposal.of(segue.assign(name, group, configuration));
        }

        @Override
        public boolean movesCold() {
            return name.equals("eager");
        }

        @Override
        public boolean knowsLeaving() {
            return name.equals("balanced");
        }

        @Override
        public boolean loose() {
            return name.equals("high-availability");
        }
    }

    private static final class Described implements Assignor {
        @Override
        public Proposal assign(Group group, Configuration configuration) {
            return new Proposal(
                    List.of(new MemberPlan("S2", List.of("0_0", "0_1"), List.of(), List.of())),
                    Optional.empty(),
                    Optional.empty());
        }

        @Override
        public String version() {
            return "2.1";
        }

        @Override
        public String summary() {
            return "größer";
        }

        @Override
        public boolean movesCold() {
            return true;
        }
    }
}
