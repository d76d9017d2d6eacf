// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import io.segue.demo.DrainStage.Drain;

/**
 * Processes that are killed, not closed, at every stage of a drain: the leaver, a learner's host, the leader. Each time
 * the group is whole again, the drain ends, and marks are as MARKS.md has them. No record is lost in all of it;
 * exactly-once, none is counted twice either.
 *
 * <p>One application per processing guarantee, beside each other, lives through one kill after the other. Together they
 * pair each victim with each stage, and each stage with each guarantee. {@code -Dsegue.test.kill=all} runs every victim
 * at every stage under both, {@code -Dsegue.test.kill=READY} every victim at that stage.
 */
class KilledDrainIT {
    private static final String CHOICE = System.getProperty("segue.test.kill", "");

    @TempDir
    private static Path directory;

    private static Broker broker;
    private static Admin admin;

    private enum Victim {
        LEAVER(Drain::leaver),
        LEARNER(Drain::learner),
        LEADER(Drain::leader);

        private final Function<Drain, Pod> pod;

        Victim(Function<Drain, Pod> pod) {
            this.pod = pod;
        }
    }

    @BeforeAll
    static void begin() {
        broker = Broker.start(directory.resolve("broker"), (config, further) -> {
            config.put("group.min.session.timeout.ms", "1000");
            config.put("transaction.abort.timed.out.transaction.cleanup.interval.ms", "500");
        });
        admin = Admin.create(Map.of("bootstrap.servers", broker.address()));
    }

    @AfterAll
    static void end() {
        admin.close();
        broker.close();
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void shouldBeWholeAgainAfterEachKillExactlyOnce() throws Exception {
        Verdict verdict = walk("exactly-once", "exactly_once_v2", 0);

        assertThat(verdict.lost()).as("lost").isZero();
        assertThat(verdict.doubled()).as("counted twice").isZero();
        assertThat(verdict.miscounted()).as("miscounted").isZero();
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void shouldBeWholeAgainAfterEachKillAtLeastOnce() throws Exception {
        assertThat(walk("at-least-once", "at_least_once", 1).lost()).as("lost").isZero();
    }

    private static Verdict walk(String application, String guarantee, int turn) throws Exception {
        try (FleetRun run = new FleetRun(application, guarantee, broker, admin, directory)) {
            for (DrainStage stage : DrainStage.values()) {
                for (Victim victim : Victim.values()) {
                    if (chosen(stage, victim, turn)) {
                        kill(run, stage, victim);
                    }
                }
            }
            return run.end();
        }
    }

    private static boolean chosen(DrainStage stage, Victim victim, int turn) {
        return switch (CHOICE) {
            case "" -> (stage.ordinal() + victim.ordinal()) % 2 == turn;
            case "all" -> true;
            default -> DrainStage.valueOf(CHOICE) == stage;
        };
    }

    private static void kill(FleetRun run, DrainStage stage, Victim victim) throws Exception {
        String where = victim + " killed when " + stage;
        Fleet fleet = run.fleet();
        long began = Millis.now();
        FleetRun.Marked marked = run.bringTo(stage, where);
        Drain drain = marked.drain();
        Pod killed = victim.pod.apply(drain);
        killed.kill();
        long killedAt = Millis.now();
        DrainStage.release(drain);
        List<Pod> survivors = Stream.of(drain.learner(), drain.leader()).filter(pod -> pod != killed).toList();
        fleet.await(where + ": whole again", () -> fleet.whole(survivors));
        long wholeAt = Millis.now();
        Pod leaver = victim == Victim.LEAVER ? again(where, fleet, marked.place(), killed) : drain.leaver();
        run.drained(where, leaver, survivors);
        System.out.printf("%s: stage after %d ms, whole after %d ms, drained after %d ms%n", where,
                killedAt - began, wholeAt - killedAt, Millis.now() - killedAt);
    }

    /** Its drain has ended with it, for the others; for itself it goes on when it comes back. */
    private static Pod again(String where, Fleet fleet, Fleet.Place place, Pod killed) throws Exception {
        assertThat(fleet.marked(place)).as(where + ": its mark outlives it").isTrue();
        return fleet.again(killed);
    }
}
