// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import io.segue.kafka.streams.DrainState;
import io.segue.kafka.streams.Segue;
import io.segue.kafka.streams.SegueTaskAssignor;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KafkaStreams.State;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.processor.StandbyUpdateListener;
import org.apache.kafka.streams.processor.TaskId;

/**
 * One instance in a process of its own. Tells on standard output what happens to it, a line each: {@code opened N},
 * {@code closed N}, {@code learning N}, {@code asking}, {@code led}, {@code drain PHASE TASKS}, {@code state STATE}.
 * Hears on standard input {@code close GATE} and {@code open GATE}, and is killed when that ends, so that none outlives
 * its test. Ends with status 0 when the instance has closed.
 */
final class PodProcess implements TaskWatch, StandbyUpdateListener {
    private static final long LOOK_MS = 10;

    private final Gates gates = new Gates();
    private final GatedClients clients = new GatedClients(gates, () -> tell("asking"));
    private String drain = "";

    private PodProcess() {
    }

    /** Arguments: brokers, run, application, name, state directory, processing guarantee. */
    public static void main(String[] arguments) {
        new PodProcess().run(arguments);
    }

    private void run(String[] arguments) {
        KafkaStreams streams = Segue.streams(
                CountingTopology.build(Topics.of(arguments[1]), arguments[3], this), config(arguments), clients);
        streams.setStandbyUpdateListener(this);
        streams.setStateListener((now, before) -> tell("state " + now));
        // On a machine too busy for the short timeouts here a transaction may be over before its commit.
        streams.setUncaughtExceptionHandler(fault -> StreamThreadExceptionResponse.REPLACE_THREAD);
        SegueTaskAssignor.listen(event -> tell("led"));
        Thread commands = new Thread(this::obey, "commands");
        commands.setDaemon(true);
        commands.start();
        streams.start();
        Executors.newSingleThreadScheduledExecutor().scheduleWithFixedDelay(() -> {
            tellDrain(Segue.of(streams).drainState());
            if (streams.state() == State.NOT_RUNNING) {
                endWhenCleanedUp();
            }
        }, 0, LOOK_MS, TimeUnit.MILLISECONDS);
    }

    /** Whoever cleans up is a daemon thread of segue's, and is over when it has. */
    private static void endWhenCleanedUp() {
        boolean cleaning = Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().startsWith("segue-"));
        if (!cleaning) {
            System.exit(0);
        }
    }

    private void tellDrain(DrainState state) {
        String now = "drain " + state.phase() + " " + state.tasksLeft();
        if (!now.equals(drain)) {
            drain = now;
            tell(now);
        }
    }

    private void obey() {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] words = line.split(" ");
                Gates.Gate gate = Gates.Gate.valueOf(words[1]);
                if (words[0].equals("close")) {
                    gates.close(gate);
                } else {
                    gates.open(gate);
                }
                tell(line);
            }
        } catch (IOException broken) {
            tell("fault " + broken);
        }
        Runtime.getRuntime().halt(1);
    }

    private static Properties config(String[] arguments) {
        Properties config = new Properties();
        config.putAll(Map.of(
                "application.id", arguments[2],
                "bootstrap.servers", arguments[0],
                "client.id", arguments[3],
                "state.dir", arguments[4],
                "processing.guarantee", arguments[5],
                "segue.assignor", "scale-down",
                "segue.marks.poll.ms", 200,
                "acceptable.recovery.lag", 500,
                "heartbeat.interval.ms", 500,
                "session.timeout.ms", 4_000));
        config.putAll(Map.of(
                "consumer.auto.offset.reset", "earliest",
                "commit.interval.ms", 200,
                "transaction.timeout.ms", 6_000,
                "request.timeout.ms", 5_000,
                // Nobody shall have a copy left from before: there would be nothing to learn.
                "state.cleanup.delay.ms", 1_000));
        return config;
    }

    private static synchronized void tell(String event) {
        System.out.println(event);
        System.out.flush();
    }

    @Override
    public void opened(int partition, String instance) {
        tell("opened " + partition);
    }

    @Override
    public void closed(int partition, String instance) {
        clients.gaveUp();
        tell("closed " + partition);
    }

    @Override
    public void processed(int partition, String instance) {
    }

    @Override
    public void onUpdateStart(TopicPartition changelog, String store, long from) {
        tell("learning " + changelog.partition());
    }

    @Override
    public void onBatchLoaded(TopicPartition changelog, String store, TaskId task, long to, long records, long end) {
    }

    @Override
    public void onUpdateSuspended(TopicPartition changelog, String store, long at, long end, SuspendReason reason) {
    }
}
