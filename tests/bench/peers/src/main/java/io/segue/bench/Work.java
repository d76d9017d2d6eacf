// SPDX-License-Identifier: Apache-2.0
package io.segue.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * A group in numbers, the same for all: task t is partition {@code t / topics} of topic {@code t % topics}, members are
 * numbered, each with one thread and a process of its own.
 *
 * @param owner by task: its member, or -1
 * @param standby by task: members that are its standbys, caught up
 * @param standbys how many standbys each task should have
 */
record Work(int topics, int members, int[] owner, int[][] standby, int standbys) {
    private static final int[] NOBODY = {};

    /** Settled: task t lies on member t modulo the members, its standbys on the next ones. */
    static Work settled(int tasks, int members, int topics, int standbys) {
        int[] owner = new int[tasks];
        int[][] standby = new int[tasks][];
        for (int task = 0; task < tasks; task++) {
            owner[task] = task % members;
            standby[task] = new int[standbys];
            for (int rank = 0; rank < standbys; rank++) {
                standby[task][rank] = (owner[task] + 1 + rank) % members;
            }
        }
        return new Work(topics, members, owner, standby, standbys);
    }

    Work after(Event event) {
        return switch (event) {
            case FRESH -> fresh();
            case STABLE -> this;
            case JOIN -> new Work(topics, members + 1, owner, standby, standbys);
            case LEAVE -> without(members / 2);
        };
    }

    private Work fresh() {
        int[] nobody = new int[owner.length];
        int[][] none = new int[owner.length][];
        Arrays.fill(nobody, -1);
        Arrays.fill(none, NOBODY);
        return new Work(topics, members, nobody, none, standbys);
    }

    private Work without(int gone) {
        int[] left = new int[owner.length];
        int[][] standing = new int[owner.length][];
        for (int task = 0; task < owner.length; task++) {
            left[task] = owner[task] == gone ? -1 : closeRank(owner[task], gone);
            standing[task] = Arrays.stream(standby[task])
                    .filter(member -> member != gone)
                    .map(member -> closeRank(member, gone))
                    .toArray();
        }
        return new Work(topics, members - 1, left, standing, standbys);
    }

    private static int closeRank(int member, int gone) {
        return member > gone ? member - 1 : member;
    }

    int tasks() {
        return owner.length;
    }

    int topic(int task) {
        return task % topics;
    }

    int partition(int task) {
        return task / topics;
    }

    int task(int topic, int partition) {
        return partition * topics + topic;
    }

    int partitions(int topic) {
        return (tasks() - topic + topics - 1) / topics;
    }

    /** Sorts as the numbers do. */
    String member(int number) {
        return String.format("member-%07d", number);
    }

    int[][] owned() {
        return byMember(task -> new int[] {owner[task]});
    }

    int[][] stoodBy() {
        return byMember(task -> standby[task]);
    }

    private interface Holders {
        int[] of(int task);
    }

    private int[][] byMember(Holders holders) {
        int[] counts = new int[members];
        int[][] held = new int[members][];
        for (int pass = 0; pass < 2; pass++) {
            for (int task = 0; task < tasks(); task++) {
                for (int member : holders.of(task)) {
                    if (member >= 0 && pass == 1) {
                        held[member][counts[member]] = task;
                    }
                    counts[Math.max(member, 0)] += member >= 0 ? 1 : 0;
                }
            }
            for (int member = 0; member < members && pass == 0; member++) {
                held[member] = new int[counts[member]];
            }
            Arrays.fill(counts, 0);
        }
        return held;
    }

    int moves(int[] now) {
        int moves = 0;
        for (int task = 0; task < tasks(); task++) {
            moves += owner[task] >= 0 && owner[task] != now[task] ? 1 : 0;
        }
        return moves;
    }

    int spread(int[] now) {
        int[] held = new int[members];
        Arrays.stream(now).forEach(member -> held[member]++);
        return Arrays.stream(held).max().orElse(0) - Arrays.stream(held).min().orElse(0);
    }

    /** As a group/1 document. */
    void write(Path file) {
        try (Writer out = Files.newBufferedWriter(file)) {
            out.write("{\"segue\":\"group/1\",\"config\":{\"num.standby.replicas\":" + standbys + "},\"subtopologies\":[");
            for (int topic = 0; topic < topics; topic++) {
                out.write((topic == 0 ? "" : ",") + "{\"id\":" + topic + ",\"partitions\":" + partitions(topic) + "}");
            }
            out.write("],\"members\":[");
            int[][] owned = owned();
            int[][] stoodBy = stoodBy();
            for (int member = 0; member < members; member++) {
                out.write((member == 0 ? "" : ",\n") + "{\"id\":\"" + member(member) + "\",\"active\":[" + ids(owned[member], "")
                        + "],\"standby\":[" + ids(stoodBy[member], "") + "],\"lag\":{" + ids(stoodBy[member], ":0") + "}}");
            }
            out.write("]}");
        } catch (IOException fault) {
            throw new UncheckedIOException(fault);
        }
    }

    private String ids(int[] tasks, String value) {
        StringBuilder text = new StringBuilder();
        for (int task : tasks) {
            text.append(text.isEmpty() ? "\"" : ",\"").append(topic(task)).append('_').append(partition(task)).append('"')
                    .append(value);
        }
        return text.toString();
    }
}
