// SPDX-License-Identifier: Apache-2.0
package io.segue.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;

/** A strategy of ours behind the public slot, in a process of C that stands by between its turns. */
final class SlotLane implements Lane {
    private final Process process;
    private final PrintWriter asks;
    private final BufferedReader answers;

    SlotLane(Path program, Path plugin, String assignor, Path group) {
        try {
            process = new ProcessBuilder(program.toString(), plugin.toString(), assignor, group.toString())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
        } catch (IOException fault) {
            throw new UncheckedIOException(fault);
        }
        asks = new PrintWriter(process.getOutputStream(), true, StandardCharsets.US_ASCII);
        answers = process.inputReader(StandardCharsets.US_ASCII);
    }

    @Override
    public long[] time(int calls) {
        asks.println(calls);
        return Arrays.stream(answer().split(" ")).mapToLong(Long::parseLong).toArray();
    }

    @Override
    public double warmUpNs() {
        return 1e7;
    }

    @Override
    public String outcome() {
        asks.close();
        String object = answer();
        return object.substring(1, object.length() - 1);
    }

    private String answer() {
        try {
            String line = answers.readLine();
            if (line == null) {
                throw new IllegalStateException("bench_slot ended without an answer");
            }
            return line;
        } catch (IOException fault) {
            throw new UncheckedIOException(fault);
        }
    }

    @Override
    public void close() {
        process.destroy();
    }
}
