// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.Test;

class TableTest {
    private static final Verdict GOOD = new Verdict(10, 0, 0, 0, 10, 0, false);

    @Test
    void shouldPutTheAssignorsSideBySide() {
        String table = Table.of(List.of(run("learner", 340), run("sticky", 2300)));

        assertThat(table.lines().filter(line -> line.contains("longest gap")).findFirst().orElseThrow())
                .containsSubsequence("340 / 345", "2300 / 2305");
        assertThat(table).containsSubsequence("1 -> 2 instances", "learner", "sticky");
    }

    @Test
    void shouldHaveARowForEachPartition() {
        assertThat(Table.of(List.of(run("learner", 340)))).containsSubsequence("task 0_0", "task 0_1", "longest");
    }

    @Test
    void shouldEndWithOneSentenceForEachInstanceThatJoined() {
        assertThat(Table.of(List.of(run("learner", 340), run("sticky", 2300))))
                .endsWith("longest gap from 1 to 2: learner 0.34 s, sticky 2.30 s\n");
    }

    @Test
    void shouldPutTheWaysToGoBesideTheScaleOuts() {
        EventResult drained = event(2, 1, 330);
        RunResult run = new RunResult("scale-down", "a note", List.of(event(1, 2, 340)), List.of(event(1, 2, 360)),
                List.of(new ExitResult("drain", drained), new ExitResult("close", event(2, 1, 46_000))), GOOD);

        assertThat(Table.of(List.of(run))).endsWith("longest gap from 2 to 1: drain 0.33 s, close 46.00 s;"
                + " of the same run's scale-outs: 0.34 s, 0.36 s\n");
    }

    private static RunResult run(String assignor, long gap) {
        return new RunResult(assignor, "a note", List.of(event(1, 2, gap)), List.of(), List.of(), GOOD);
    }

    private static EventResult event(int from, int to, long gap) {
        return new EventResult(from, to, List.of(20L, gap), List.of(25L, gap + 5), List.of(0L, gap - 40),
                List.of(), 1, 1, 3, 1, 5000);
    }
}
