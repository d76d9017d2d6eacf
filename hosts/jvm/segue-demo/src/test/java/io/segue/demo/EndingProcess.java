// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.locks.LockSupport;

import io.segue.kafka.streams.Segue;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KafkaStreams.State;

/** One instance in a process of its own that drains itself, and ends in the very moment in which it is closed. */
final class EndingProcess {
    private static final long LOOK_NANOS = 500_000;

    private EndingProcess() {
    }

    /** Arguments: brokers, run, application, name, state directory. */
    public static void main(String[] arguments) {
        Topics topics = Topics.of(arguments[1]);
        Ledger ledger = new Ledger(64, moved -> { });
        KafkaStreams streams = Segue.streams(
                CountingTopology.build(topics, arguments[3], ledger),
                config(arguments[0], arguments[2], arguments[3], Path.of(arguments[4])));
        streams.start();
        while (ledger.processed() == 0) {
            LockSupport.parkNanos(LOOK_NANOS);
        }
        Segue.of(streams).drain(Duration.ofMinutes(1));
        while (streams.state() != State.NOT_RUNNING) {
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    static Properties config(String brokers, String application, String name, Path state) {
        Properties config = new Properties();
        config.putAll(Map.of(
                "application.id", application,
                "bootstrap.servers", brokers,
                "client.id", name,
                "state.dir", state.toString(),
                "segue.assignor", "scale-down",
                "segue.marks.poll.ms", 200,
                "commit.interval.ms", 200,
                "heartbeat.interval.ms", 1_000,
                "session.timeout.ms", 600_000,
                "consumer.auto.offset.reset", "earliest"));
        return config;
    }

    static Process start(String brokers, String run, String application, String name, Path state) throws IOException {
        String classes = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx192m",
                        "-XX:TieredStopAtLevel=1", "-Dorg.slf4j.simpleLogger.log.org.apache.kafka=warn",
                        "-Dorg.slf4j.simpleLogger.log.io.segue=debug", "-cp", classes,
                        EndingProcess.class.getName(), brokers, run, application, name, state.toString())
                .redirectErrorStream(true)
                .redirectOutput(state.resolveSibling(name + ".log").toFile())
                .start();
    }
}
