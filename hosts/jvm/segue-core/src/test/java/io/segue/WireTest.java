// SPDX-License-Identifier: Apache-2.0
package io.segue;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What Java encodes, the library reads; what it answers, Java reads. */
class WireTest {
    private static final int RUNS = 1_000;
    private static Segue segue;

    @BeforeAll
    static void open() {
        segue = Segue.open();
    }

    @AfterAll
    static void close() {
        segue.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"eager", "sticky", "learner"})
    void shouldBringACompletePlanForEveryGroup(String assignor) {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        RandomGroups groups = new RandomGroups(random);
        for (int run = 0; run < RUNS; run++) {
            Group group = groups.next();
            Plan plan = segue.assign(assignor, group, configuration(random));
            assertThat(active(plan)).as("seed %d, run %d", seed, run)
                    .containsExactlyInAnyOrderElementsOf(group.tasks().stream().map(Task::id).toList());
            assertThat(plan.members()).extracting(MemberPlan::id).as("seed %d, run %d", seed, run)
                    .containsExactlyElementsOf(group.members().stream().map(Member::id).toList());
            assertThat(plan.report().fallback()).as("seed %d, run %d: %s", seed, run, plan.report()).isFalse();
        }
    }

    @Test
    void shouldAnswerTheSameInWhateverOrderAGroupIsTold() {
        long seed = System.nanoTime();
        RandomGroups groups = new RandomGroups(new Random(seed));
        for (int run = 0; run < RUNS; run++) {
            Group group = groups.next();
            assertThat(byMember(groups.shuffled(group))).as("seed %d, run %d", seed, run).isEqualTo(byMember(group));
        }
    }

    @Test
    void shouldRefuseABrokenMessageAndGoOn() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        RandomGroups groups = new RandomGroups(random);
        Frame opened = new Frame();
        opened.check(Natives.open(
                Buffers.text(plugin()), Buffers.text(""), true, Buffers.text(""), 0, opened.buffer()));
        ByteBuffer plan = Buffers.direct(1 << 16);
        Set<Integer> statuses = new HashSet<>();
        for (int run = 0; run < 20_000; run++) {
            ByteBuffer broken = broken(random, groups.next());
            statuses.add(Natives.assign(opened.value(), Buffers.text("learner"), true, broken, plan,
                    new Frame().buffer()));
            Natives.planRoom(broken, true);
        }
        Natives.close(opened.value());
        assertThat(statuses).as("seed %d", seed).contains(0).hasSizeGreaterThan(1);
    }

    private static ByteBuffer broken(Random random, Group group) {
        ByteBuffer message = GroupEncoder.encode(
                new CanonicalGroup(group), NativeCall.configure(Configuration.defaults()));
        for (int change = random.nextInt(4); change > 0; change--) {
            message.put(random.nextInt(message.capacity()), (byte) random.nextInt());
        }
        return random.nextInt(4) == 0 ? message.slice(0, random.nextInt(message.capacity())) : message;
    }

    private static String plugin() {
        return segue.assignors().get(0).plugin();
    }

    private static Configuration configuration(Random random) {
        return Configuration.defaults()
                .with("num.standby.replicas", random.nextInt(3))
                .with("learner.partial.rebalance", random.nextBoolean())
                .with("segue.max.learners", random.nextInt(5));
    }

    private static List<String> active(Plan plan) {
        List<String> active = new ArrayList<>();
        plan.members().forEach(member -> active.addAll(member.active()));
        return active;
    }

    private static Set<MemberPlan> byMember(Group group) {
        return segue.assign("learner", group, Configuration.defaults()).members().stream().collect(Collectors.toSet());
    }
}
