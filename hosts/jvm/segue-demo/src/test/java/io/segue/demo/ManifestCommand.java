// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;

/**
 * A command of an example manifest's container, run as the kubelet runs it in the pod, but for the port.
 *
 * @param words program and arguments
 */
record ManifestCommand(List<String> words) {
    private static final Path MANIFESTS = Path.of("../segue-kafka-streams/kubernetes");
    private static final String PORT = "127.0.0.1:8099";

    /** @param place of the command below the container, as a JSON pointer */
    static ManifestCommand of(String manifest, String place, int port) throws IOException {
        List<String> words = new ArrayList<>();
        try (var documents = new YAMLMapper().readerFor(JsonNode.class)
                .<JsonNode>readValues(new YAMLFactory().createParser(MANIFESTS.resolve(manifest).toFile()))) {
            documents.readAll().forEach(document -> document.at("/spec/template/spec/containers/0" + place)
                    .forEach(word -> words.add(word.asText().replace(PORT, "127.0.0.1:" + port))));
        }
        return new ManifestCommand(List.copyOf(words));
    }

    /** Its exit status. */
    int run(File log) throws IOException, InterruptedException {
        return new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(log).start().waitFor();
    }
}
