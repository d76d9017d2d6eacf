// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;

/** Writes runs as {@code events/1} of hosts/SCENARIO.md, one after the other; each begins with a head of its own. */
record EventFile(Path file) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Begins an empty file, so that what cannot be written is found out before anything runs. */
    static EventFile create(Path file) {
        try {
            Files.write(file, new byte[0]);
        } catch (IOException e) {
            throw new DemoException("cannot write the events to " + file + ": " + e.getMessage(), e);
        }
        return new EventFile(file);
    }

    void append(String assignor, Settings settings, Journal journal) {
        List<EventRow> rows = journal.end(Names.of(journal.members()));
        List<String> lines = new ArrayList<>();
        long end = rows.get(rows.size() - 1).atNanos();
        lines.add(json(head(assignor, settings, journal, (end - journal.start()) / 1000)));
        rows.forEach(row -> lines.add(json(line(row, journal.start()))));
        try {
            Files.write(file, lines, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new DemoException("cannot write the events to " + file + ": " + e.getMessage(), e);
        }
    }

    private static Map<String, Object> line(EventRow row, long start) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("at_us", Math.max(0, (row.atNanos() - start) / 1000));
        line.putAll(row.fields());
        return line;
    }

    private static Map<String, Object> head(String assignor, Settings settings, Journal journal, long untilUs) {
        // A record is one of the payloads or one of the counts, so the lag in bytes is that of both kinds together.
        long recordBytes = settings.payloadBytes() + Long.BYTES;
        Map<String, Object> head = new LinkedHashMap<>();
        head.put("segue", "events/1");
        head.put("name", "demo");
        head.put("source", "demo");
        head.put("assignor", assignor);
        head.put("seed", settings.seed());
        head.put("until_us", untilUs);
        head.put("standbys", 0);
        head.put("acceptable_bytes", settings.recoveryLag() * recordBytes / 2.0);
        head.put("tasks", IntStream.range(0, settings.partitions())
                .mapToObj(partition -> Map.of("id", "0_" + partition, "stateful", true, "state_bytes",
                        settings.keysPerPartition() * recordBytes))
                .toList());
        head.put("members", journal.members().keySet().stream()
                .map(member -> Map.of("id", member, "threads", settings.threads()))
                .toList());
        return head;
    }

    private static String json(Map<String, Object> value) {
        try {
            return JSON.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
