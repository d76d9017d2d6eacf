// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole demo with a state small enough for a test: a real broker, real instances, real RocksDB. */
class DemoIT {
    @TempDir
    private Path directory;

    @Test
    void shouldScaleOutWithKafkasStickyAssignor() throws IOException {
        JsonNode run = run("sticky");

        assertThat(run.at("/events/0/copiesBuilt").asInt()).isEqualTo(2);
        assertThat(run.at("/events/0/moved").asInt()).isEqualTo(2);
    }

    @Test
    void shouldScaleOutWithLearners() throws IOException {
        JsonNode run = run("learner");

        assertThat(run.at("/events/0/moved").asInt()).isEqualTo(run.at("/events/0/leastMoves").asInt());
        assertThat(run.at("/events/0/copiesBuilt").asInt()).isEqualTo(2);
    }

    @Test
    void shouldScaleOutExactlyOnceOnTwoThreads() throws IOException {
        JsonNode run = run("learner", "--exactly-once", "--threads", "2");

        assertThat(run.at("/events/0/moved").asInt()).isEqualTo(run.at("/events/0/leastMoves").asInt());
    }

    @Test
    void shouldDrainTheLastInstanceBesideThePlainWays() throws IOException {
        JsonNode run = run("scale-down", "--drain");

        assertThat(run.at("/exits").findValuesAsText("way")).containsExactly("drain", "leave", "close");
        assertThat(run.at("/exits/0/event/moved").asInt()).isEqualTo(run.at("/exits/0/event/leastMoves").asInt());
        assertThat(run.at("/exits/0/event/vacanciesMs").size()).isEqualTo(4);
    }

    /** The tasks that went on elsewhere, as the demo's own ledger has them: "0_3 pod-1 pod-2". */
    private static List<String> handOvers(JsonNode event) {
        List<String> found = new ArrayList<>();
        event.at("/handOvers").forEach(one -> found.add("0_" + one.at("/partition").asText() + " "
                + one.at("/from").asText() + " " + one.at("/to").asText()));
        return found;
    }

    /** The same out of the file of events. */
    private static List<String> handOversTold(Path events) throws IOException {
        Map<String, String> owners = new HashMap<>();
        List<String> found = new ArrayList<>();
        for (String line : Files.readAllLines(events)) {
            JsonNode event = new ObjectMapper().readTree(line);
            if (event.path("event").asText().equals("run")) {
                String task = event.at("/task").asText();
                String member = event.at("/member").asText();
                String before = owners.put(task, member);
                if (before != null && !before.equals(member)) {
                    found.add(task + " " + before + " " + member);
                }
            }
        }
        return found;
    }

    /** One scale-out from one to two instances; all records are accounted for and nothing is left behind. */
    private JsonNode run(String assignor, String... more) throws IOException {
        Path json = directory.resolve("result.json");
        Path events = directory.resolve("events.jsonl");
        Path work = directory.resolve("work");
        String[] usual = {
            "--assignor", assignor, "--partitions", "4", "--instances", "2", "--state-mb", "8", "--payload-bytes", "256",
            "--recovery-lag", "500", "--rate", "50", "--deadline-s", "600", "--json", json.toString(), "--events", events.toString(), "--work-dir",
            work.toString()
        };
        int status = Demo.run(Stream.concat(Stream.of(usual), Stream.of(more)).toArray(String[]::new));
        assertThat(status).isZero();
        try (Stream<Path> left = Files.list(work)) {
            assertThat(left).isEmpty();
        }
        JsonNode result = new ObjectMapper().readTree(json.toFile());
        JsonNode run = result.at("/runs/0");
        assertThat(handOversTold(events)).containsAll(handOvers(run.at("/events/0")));
        assertThat(result.at("/good").asBoolean()).isTrue();
        assertThat(run.at("/assignor").asText()).isEqualTo(assignor);
        assertThat(run.at("/events/0/gapsMs").size()).isEqualTo(4);
        assertThat(run.at("/verdict/records").asLong()).isPositive();
        assertThat(run.at("/verdict/activeTwice").asBoolean()).isFalse();
        return run;
    }
}
