// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

import io.segue.demo.Gates.Gate;

/** One {@link PodProcess} as its test sees it. Safe from any thread. */
final class Pod {
    private static final long ANSWER_MS = 120_000;
    private static final int SHOWN = 16;
    private static final AtomicLong EVENTS = new AtomicLong();

    private final String name;
    private final Process process;
    private final PrintStream commands;
    private final Set<Integer> open = new HashSet<>();
    private final List<String> heard = new ArrayList<>();
    private long ledAt;

    private Pod(String name, Process process) {
        this.name = name;
        this.process = process;
        this.commands = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
        Thread reader = new Thread(this::listen, "events of " + name);
        reader.setDaemon(true);
        reader.start();
    }

    /** @param directory for its state and its log */
    static Pod start(String brokers, String run, String name, Path directory, String guarantee) {
        String classes = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        File log = directory.resolve(name + ".log").toFile();
        try {
            return new Pod(name, new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx192m",
                            "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto",
                            "-Dorg.slf4j.simpleLogger.showDateTime=true",
                            "-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS",
                            "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
                            "-Dorg.slf4j.simpleLogger.log.io.segue=info", "-cp", classes,
                            PodProcess.class.getName(), brokers, run, run, name, directory.resolve(name).toString(),
                            guarantee)
                    .redirectError(ProcessBuilder.Redirect.appendTo(log))
                    .start());
        } catch (IOException fault) {
            throw new UncheckedIOException(fault);
        }
    }

    private void listen() {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                hear(line);
            }
        } catch (IOException killed) {
            hear("gone");
        }
    }

    private synchronized void hear(String event) {
        // A wish at a closed gate is repeated all the time.
        if (heard.isEmpty() || !heard.get(heard.size() - 1).equals(event)) {
            heard.add(event);
        }
        notifyAll();
        if (event.equals("led")) {
            ledAt = EVENTS.incrementAndGet();
        } else if (event.startsWith("opened ")) {
            open.add(Integer.parseInt(event.substring(7)));
        } else if (event.startsWith("closed ")) {
            open.remove(Integer.parseInt(event.substring(7)));
        }
    }

    String name() {
        return name;
    }

    /** What it has told begins anew. */
    synchronized void forget() {
        heard.clear();
    }

    synchronized boolean told(String prefix) {
        return heard.stream().anyMatch(event -> event.startsWith(prefix));
    }

    synchronized boolean opened(Set<Integer> anyOf) {
        return anyOf.stream().anyMatch(partition -> heard.contains("opened " + partition));
    }

    /** The tasks at work in it. */
    synchronized Set<Integer> open() {
        return process.isAlive() ? Set.copyOf(open) : Set.of();
    }

    /** When it last assigned as the leader, in an order over all pods; 0 for never. */
    synchronized long ledAt() {
        return process.isAlive() ? ledAt : 0;
    }

    /** Returns when it is closed. */
    synchronized void close(Gate gate) {
        String command = "close " + gate;
        commands.println(command);
        long end = Millis.now() + ANSWER_MS;
        while (!heard.contains(command)) {
            if (!alive() || Millis.now() > end) {
                throw new AssertionError(this + " does not obey: " + command);
            }
            try {
                wait(ANSWER_MS);
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
                throw new AssertionError(stopped);
            }
        }
    }

    void open(Gate gate) {
        commands.println("open " + gate);
    }

    boolean alive() {
        return process.isAlive();
    }

    /** Its exit status; it has ended. */
    int status() {
        return process.exitValue();
    }

    /** SIGKILL; returns when it is gone. */
    void kill() {
        process.destroyForcibly().onExit().join();
    }

    /** Short, since all of a fleet has to stand in one line of a log: the end of what it has told. */
    @Override
    public synchronized String toString() {
        List<String> last = heard.subList(Math.max(0, heard.size() - SHOWN), heard.size());
        return name + (alive() ? "" : " (ended)") + " with " + open + ", told "
                + (last.size() < heard.size() ? "... " : "") + String.join(", ", last);
    }
}
