// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import picocli.CommandLine.Option;

/** The command line, as the person sees it in {@code --help}. */
final class Options {
    @Option(names = "--assignor", split = ",", paramLabel = "NAME", defaultValue = "learner,sticky",
            description = "Assignors to run one after the other: learner, scale-down, sticky,"
                    + " high-availability, segue-high-availability"
                    + " (default: ${DEFAULT-VALUE}).")
    private List<String> assignors;

    @Option(names = "--compare", description = "Run high-availability, Kafka's default, as well; takes minutes more.")
    private boolean compare;

    @Option(names = "--drain", negatable = true,
            description = "Take the last instance away again, three times: drained, closed with leaving the group, and"
                    + " closed. Runs scale-down in place of learner, as the last one, with the old copies of state"
                    + " cleaned up first.")
    private boolean drain;

    @Option(names = "--ways", split = ",", paramLabel = "WAY", defaultValue = "drain,leave,close",
            description = "With --drain: the ways to go, one after the other; one may come more than once (default:"
                    + " ${DEFAULT-VALUE}).")
    private List<String> ways;

    @Option(names = "--partitions", defaultValue = "8", paramLabel = "N",
            description = "Partitions of the input (default: ${DEFAULT-VALUE}).")
    private int partitions;

    @Option(names = "--state-mb", defaultValue = "384", paramLabel = "MIB",
            description = "Payload held in RocksDB over all partitions (default: ${DEFAULT-VALUE}).")
    private int stateMb;

    @Option(names = "--payload-bytes", defaultValue = "512", paramLabel = "N",
            description = "Size of one record (default: ${DEFAULT-VALUE}).")
    private int payloadBytes;

    @Option(names = "--rate", defaultValue = "100", paramLabel = "N",
            description = "Records per second and partition (default: ${DEFAULT-VALUE}).")
    private int rate;

    @Option(names = "--instances", defaultValue = "3", paramLabel = "N",
            description = "Instances at the end; they join one by one (default: ${DEFAULT-VALUE}).")
    private int instances;

    @Option(names = "--threads", defaultValue = "1", paramLabel = "N",
            description = "Stream threads of an instance (default: ${DEFAULT-VALUE}).")
    private int threads;

    @Option(names = "--exactly-once", description = "Process with exactly_once_v2 instead of at_least_once.")
    private boolean exactlyOnce;

    @Option(names = "--heartbeat-ms", defaultValue = "3000", paramLabel = "MS",
            description = "heartbeat.interval.ms (default: ${DEFAULT-VALUE}, as Kafka's).")
    private int heartbeatMs;

    @Option(names = "--restore-delay-us", defaultValue = "0", paramLabel = "US",
            description = "Slow each restored record down, to play a larger state (default: ${DEFAULT-VALUE}).")
    private int restoreDelayUs;

    @Option(names = "--recovery-lag", defaultValue = "10000", paramLabel = "N",
            description = "acceptable.recovery.lag in records (default: ${DEFAULT-VALUE}, as Kafka's).")
    private long recoveryLag;

    @Option(names = "--seed", defaultValue = "1", paramLabel = "N",
            description = "Seed of the input stream (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Option(names = "--deadline-s", defaultValue = "600", paramLabel = "S",
            description = "Give up when one step takes longer (default: ${DEFAULT-VALUE}).")
    private int deadlineSeconds;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the results there as one JSON document.")
    private Path json;

    @Option(names = "--events", paramLabel = "FILE",
            description = "Write what happened there, as segue simulate does; segue report makes a page of it.")
    private Path events;

    @Option(names = "--work-dir", defaultValue = "${sys:java.io.tmpdir}", paramLabel = "DIR",
            description = "Where broker and state live while the demo runs (default: ${DEFAULT-VALUE}).")
    private Path workDir;

    @Option(names = "--log", paramLabel = "FILE", description = "Write Kafka's log there (default: none).")
    private Path log;

    Set<Assignor> assignors() {
        Set<Assignor> chosen = new LinkedHashSet<>(assignors.stream().map(Assignor::of).toList());
        if (drain) {
            chosen.removeAll(Set.of(Assignor.LEARNER, Assignor.SCALE_DOWN));
        }
        if (compare) {
            chosen.add(Assignor.HIGH_AVAILABILITY);
        }
        if (drain) {
            chosen.add(Assignor.SCALE_DOWN);
        }
        return chosen;
    }

    Settings settings() {
        atLeast("--partitions", partitions, 1);
        atLeast("--state-mb", stateMb, 1);
        atLeast("--payload-bytes", payloadBytes, Long.BYTES);
        atLeast("--rate", rate, 1);
        atLeast("--instances", instances, 1);
        atLeast("--threads", threads, 1);
        atLeast("--heartbeat-ms", heartbeatMs, 100);
        atLeast("--restore-delay-us", restoreDelayUs, 0);
        atLeast("--recovery-lag", recoveryLag, 0);
        atLeast("--deadline-s", deadlineSeconds, 1);
        if (instances > partitions) {
            throw new UsageException("--instances " + instances + " is more than --partitions " + partitions
                    + ": an instance would have nothing to do");
        }
        if (drain && instances < 2) {
            throw new UsageException("--drain takes an instance away; --instances must be at least 2");
        }
        return new Settings(partitions, stateMb, payloadBytes, rate, instances, threads, exactlyOnce, heartbeatMs,
                restoreDelayUs, recoveryLag, seed, deadlineSeconds, drain ? ways.stream().map(Exit::of).toList() : List.of());
    }

    private static void atLeast(String option, long value, long least) {
        if (value < least) {
            throw new UsageException(option + " is " + value + "; it must be at least " + least);
        }
    }

    Path json() {
        return json;
    }

    Optional<Path> events() {
        return Optional.ofNullable(events);
    }

    Path workDir() {
        return workDir;
    }

    Path log() {
        return log;
    }
}
