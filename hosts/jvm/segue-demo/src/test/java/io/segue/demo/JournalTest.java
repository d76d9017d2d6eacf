// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.segue.Decision;
import io.segue.kafka.streams.AssignmentEvent;

class JournalTest {
    private static final Settings SETTINGS = new Settings(2, 1, 92, 10, 2, 1, false, 500, 0, 5, 1, 90, List.of());

    private final Journal journal = new Journal(SETTINGS);

    @TempDir
    private Path states;

    @BeforeEach
    void onePodAtWork() {
        journal.up("pod-1", states.resolve("pod-1"));
        journal.inRound("pod-1", 1);
        work(0, "pod-1");
        work(1, "pod-1");
        journal.begin();
    }

    @Test
    void shouldBeginWithWhatIsSo() {
        assertThat(told()).containsExactly("up pod-1", "join pod-1", "rebalance begin", "role 0_0 pod-1 active 0.0",
                "whole 0_0 pod-1", "run 0_0 pod-1", "role 0_1 pod-1 active 0.0", "whole 0_1 pod-1", "run 0_1 pod-1", "end");
    }

    @Test
    void shouldTellALearnersWayToItsHandOver() {
        journal.up("pod-2", states.resolve("pod-2"));
        journal.inRound("pod-2", 2);
        learn(1, "pod-2");
        journal.inRound("pod-1", 3);
        journal.closed(1, "pod-1");
        journal.inRound("pod-1", 4);
        work(1, "pod-2");

        assertThat(told()).containsSubsequence("up pod-2", "join pod-2", "rebalance joined", "role 0_1 pod-2 learner 1000.0",
                "restored 0_1 pod-2 920.0", "restored 0_1 pod-2 80.0", "ready 0_1 pod-2 0.0", "whole 0_1 pod-2", "rebalance ready",
                "role 0_1 pod-1 dormant 0.0", "rebalance revoked", "role 0_1 pod-2 active 0.0", "run 0_1 pod-2", "end");
    }

    @Test
    void shouldCountAMoveForTheRoundThatRevokesWhereKafkaAssigns() {
        journal.up("pod-2", states.resolve("pod-2"));
        journal.inRound("pod-2", 2);
        journal.closed(1, "pod-1");
        journal.inRound("pod-2", 3);
        work(1, "pod-2");

        assertThat(rows("rebalance")).extracting(row -> row.get("moves")).containsExactly(0, 1, 0);
        assertThat(rows("rebalance")).extracting(row -> row.get("min_moves")).containsExactly(0, 1, 0);
    }

    @Test
    void shouldSayWhatThePlanSaidWithTheNamesOfInstances() throws Exception {
        Path state = Files.createDirectories(states.resolve("pod-1"));
        Files.writeString(state.resolve("kafka-streams-process-metadata"), "{\"processId\":\"4711\"}");
        Decision decision = new Decision("0_1", "learn", "below-quota", Optional.of("4711"), Optional.empty(), "4711 holds 2");
        journal.planned(new AssignmentEvent("learner", 2, 1, 1, 0, 1, false, Optional.empty(), Optional.empty(),
                Optional.of("why"), Duration.ZERO, 3, List.of(decision)));
        journal.inRound("pod-1", 2);

        assertThat(rows("rebalance").get(1)).containsEntry("min_moves", 1).containsEntry("held_back", 3)
                .containsEntry("fallback", true);
        assertThat(rows("decision").get(0)).containsEntry("from", "pod-1").containsEntry("text", "pod-1 holds 2");
    }

    @Test
    void shouldTellOfADrainAndOfAnEndThatTheGroupFindsOut() {
        journal.mark("pod-1", Duration.ofSeconds(600));
        journal.inRound("pod-1", 2);
        journal.down("pod-1", false);
        journal.closed(0, "pod-1");
        journal.up("pod-2", states.resolve("pod-2"));
        journal.inRound("pod-2", 3);

        assertThat(told()).containsSubsequence("mark pod-1", "rebalance marked", "down pod-1 kept");
        assertThat(told()).containsSubsequence("gone pod-1", "rebalance joined");
        assertThat(rows("stop")).hasSize(1);
    }

    @Test
    void shouldNoticeThatACopyWasDeleted() throws Exception {
        Path copy = Files.createDirectories(states.resolve("pod-1").resolve("0_0"));
        journal.closed(0, "pod-1");
        journal.sweep();
        Files.delete(copy);
        journal.sweep();
        journal.sweep();

        assertThat(told().stream().filter(line -> line.contains("none"))).containsExactly("role 0_0 pod-1 none 0.0");
    }

    private void work(int partition, String member) {
        journal.opened(partition, member);
        journal.processed(partition, member);
    }

    /** 10 payloads of 92 bytes and 10 counts of 8. */
    private void learn(int partition, String member) {
        journal.updates(partition, member, CountingTopology.NEWEST, 0);
        journal.updates(partition, member, CountingTopology.COUNTS, 0);
        journal.moved(partition, member, CountingTopology.NEWEST, 10, 10);
        journal.moved(partition, member, CountingTopology.COUNTS, 10, 10);
    }

    private List<Map<String, Object>> rows(String event) {
        return rows().stream().filter(row -> row.get("event").equals(event)).toList();
    }

    private List<Map<String, Object>> rows() {
        return journal.end(Names.of(journal.members())).stream().map(EventRow::fields).toList();
    }

    /** Each line in short: the event, and what concerns it. */
    private List<String> told() {
        return rows().stream()
                .map(row -> List.of("event", "task", "member", "role", "cause", "disk", "lag_bytes", "bytes").stream()
                        .filter(row::containsKey)
                        .map(key -> String.valueOf(row.get(key)))
                        .reduce((a, b) -> a + " " + b)
                        .orElseThrow())
                .toList();
    }
}
