// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;

/** The results as one JSON document. */
record Report(Settings settings, List<RunResult> runs, boolean good) {
    void write(Path file) {
        try {
            new ObjectMapper()
                    .enable(SerializationFeature.INDENT_OUTPUT)
                    .writeValue(file.toFile(), this);
        } catch (IOException e) {
            throw new DemoException("cannot write the results to " + file + ": " + e.getMessage(), e);
        }
    }
}
