// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;

import io.segue.kafka.streams.Segue;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KafkaStreams.State;

/** One instance in a process of its own, so that it can be killed. Ends with status 0 when the instance has closed. */
final class DrainedProcess {
    private DrainedProcess() {
    }

    /** Arguments: brokers, run, application, name, state directory, processing guarantee. */
    public static void main(String[] arguments) throws InterruptedException {
        Topics topics = Topics.of(arguments[1]);
        Properties config = new Properties();
        config.putAll(Map.of(
                "application.id", arguments[2],
                "bootstrap.servers", arguments[0],
                "client.id", arguments[3],
                "state.dir", arguments[4],
                "processing.guarantee", arguments[5],
                "segue.assignor", "scale-down",
                "acceptable.recovery.lag", 500,
                "heartbeat.interval.ms", 1_000,
                "session.timeout.ms", 6_000,
                "consumer.auto.offset.reset", "earliest"));
        config.putAll(Map.of("commit.interval.ms", 200, "transaction.timeout.ms", 10_000));
        CountDownLatch closed = new CountDownLatch(1);
        KafkaStreams streams =
                Segue.streams(CountingTopology.build(topics, arguments[3], new Ledger(64, moved -> { })), config);
        streams.setStateListener((now, before) -> {
            if (now == State.NOT_RUNNING) {
                closed.countDown();
            }
        });
        streams.start();
        closed.await();
    }

    static Process start(String brokers, String run, String application, String name, Path state, String guarantee)
            throws java.io.IOException {
        String classes = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx192m",
                        "-XX:TieredStopAtLevel=1", "-Dorg.slf4j.simpleLogger.log.org.apache.kafka=warn", "-cp", classes,
                        DrainedProcess.class.getName(), brokers, run, application, name, state.toString(), guarantee)
                .redirectErrorStream(true)
                .redirectOutput(state.resolveSibling(name + ".log").toFile())
                .start();
    }
}
