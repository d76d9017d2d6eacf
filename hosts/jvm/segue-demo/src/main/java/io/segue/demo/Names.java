// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

import com.fasterxml.jackson.databind.ObjectMapper;

/** Puts instances' names where Kafka Streams says the ids of their processes. */
record Names(Map<String, String> byProcess) {
    private static final String METADATA = "kafka-streams-process-metadata";

    /** @param members each with the folder of its state, where its process id stands as well */
    static Names of(Map<String, Path> members) {
        Map<String, String> names = new HashMap<>();
        members.forEach((member, state) -> {
            try {
                Path file = state.resolve(METADATA);
                if (Files.exists(file)) {
                    names.put(new ObjectMapper().readTree(file.toFile()).path("processId").asText(), member);
                }
            } catch (IOException e) {
                throw new DemoException("the process id of " + member + " cannot be read: " + e.getMessage(), e);
            }
        });
        return new Names(names);
    }

    String in(String text) {
        String named = text;
        for (Map.Entry<String, String> name : byProcess.entrySet()) {
            named = named.replace(name.getKey(), name.getValue());
        }
        return named;
    }
}
