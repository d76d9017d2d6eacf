// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.TabularData;

import io.segue.kafka.streams.AssignmentEvent;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A live group whose plugin hangs, crashes, or answers nonsense: two instances work on, with every stream thread, until
 * they are told to use a sound assignor of another plugin.
 */
class RogueIT {
    private static final int MAX_FAULTS = 3;
    private static final int GOES_ON_WITHIN_MS = 1_000; // of the budget
    private static final Pattern WAITED = Pattern.compile("no answer within (\\d+) ms");
    private static final Path PLUGIN = Path.of(System.getProperty("segue.test.plugins", "")).resolve("rogue.so");

    @TempDir
    private static Path directory;

    private static Broker broker;

    @BeforeAll
    static void begin() {
        assertThat(Files.isRegularFile(PLUGIN)).as("%s, which packaging/build makes", PLUGIN).isTrue();
        broker = Broker.start(directory.resolve("broker"));
    }

    @AfterAll
    static void end() {
        broker.close();
    }

    /**
     * Where lateness is not the fault, the budget is one that no busy machine uses up. A sound plan, of which one that is late
     * puts its assignor aside where that has a thread, keeps the others too.
     */
    @ParameterizedTest
    @CsvSource({
        "process, loops, 2500, late, deadline: loops of",
        "process, crashes, 20000, died, was ended by signal 11",
        "process, gives-garbage, 20000, refused, bad-plan",
        "thread, dozes, 2500, late, its thread was given up"
    })
    void shouldGoOnWithoutItsPlugin(String isolation, String assignor, int budgetMs, String count, String said)
            throws Exception {
        String application = "rogue-" + assignor;
        Map<String, Object> settings = Map.of(
                "segue.assignor", assignor,
                "segue.plugin.path", PLUGIN.toString(),
                "segue.isolation", isolation,
                "segue.max.compute.ms", budgetMs,
                "segue.max.faults", MAX_FAULTS);
        try (LiveGroup group = new LiveGroup(broker, directory, application, settings);
                Stalls stalls = new Stalls()) {
            group.begin("pod-1");
            group.join("pod-2");
            group.await("a rebalance with both", () -> group.events().stream().anyMatch(event -> event.processes() == 2));
            group.awaitShares(Map.of("pod-1", LiveGroup.PARTITIONS));

            List<AssignmentEvent> events = group.events();
            assertThat(events).allSatisfy(event -> assertThat(event.fault().orElse("")).contains(said));
            assertThat(events).allSatisfy(event -> assertThat(waited(event))
                    .allSatisfy(ms -> assertThat(ms).isLessThanOrEqualTo(budgetMs + GOES_ON_WITHIN_MS + stalls.longestMs())));
            assertThat(events).allSatisfy(event -> assertThat(event.elapsed().toMillis())
                    .isLessThanOrEqualTo(budgetMs + GOES_ON_WITHIN_MS + stalls.longestMs()));
            assertThat(plans(application).get(count)).isPositive();
            System.out.printf("%s, budget %d ms: assigned within %d ms, no partition silent for more than %d ms%n", assignor,
                    budgetMs, events.stream().mapToLong(event -> event.elapsed().toMillis()).max().orElseThrow(),
                    group.longestSilenceMs());

            group.swap("learner");
            group.awaitShares(Map.of("pod-1", 2, "pod-2", 2));
            group.good();
        }
    }

    /** How long libsegue has waited for an answer that did not come. */
    private static List<Long> waited(AssignmentEvent event) {
        return WAITED.matcher(event.fault().orElse("")).results().map(RogueIT::number).toList();
    }

    private static long number(MatchResult found) {
        return Long.parseLong(found.group(1));
    }

    /** As JMX tells them, of this process. */
    private static Map<String, Long> plans(String application) throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName any = new ObjectName("io.segue.kafka.streams:type=Instance,application="
                + ObjectName.quote(application) + ",*");
        ObjectName bean = server.queryNames(any, null).iterator().next();
        TabularData table = (TabularData) server.getAttribute(bean, "Plans");
        Map<String, Long> plans = new HashMap<>();
        table.values().forEach(row -> {
            CompositeData pair = (CompositeData) row;
            plans.put((String) pair.get("key"), (Long) pair.get("value"));
        });
        return plans;
    }
}
