// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;

import org.apache.kafka.clients.admin.Admin;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParseResult;

/**
 * Scales a stateful Kafka Streams application out while it works, and shows what that costs under each assignor.
 *
 * <p>Exit status: 0 when every record was counted exactly once, 1 when not or when a step took too long, 2 for a
 * wrong option.
 */
@Command(name = "segue-demo", mixinStandardHelpOptions = true, version = "segue-demo 1.0.0",
        sortOptions = false,
        description = "Scales a stateful Kafka Streams application out while it works, one instance after the other,"
                + " and shows for each partition how long it was silent.")
public final class Demo implements Callable<Integer> {
    @Mixin
    private Options options;

    /** Runs the demo and ends the process with its exit status. */
    public static void main(String[] arguments) {
        System.exit(run(arguments));
    }

    /** Runs the demo in this JVM; blocks until it is over. Returns the exit status. */
    static int run(String... arguments) {
        return new CommandLine(new Demo())
                .setOverwrittenOptionsAllowed(true)
                .setExecutionExceptionHandler(Demo::explain)
                .execute(arguments);
    }

    /** One line for what a person can act on, a stack trace only for what is a fault of the demo's own. */
    private static int explain(Exception fault, CommandLine command, ParseResult parsed) {
        command.getErr().println("segue-demo: " + fault.getMessage());
        if (!(fault instanceof DemoException || fault instanceof UsageException)) {
            fault.printStackTrace(command.getErr());
        }
        return fault instanceof UsageException ? CommandLine.ExitCode.USAGE : CommandLine.ExitCode.SOFTWARE;
    }

    @Override
    public Integer call() throws InterruptedException {
        Settings settings = options.settings();
        Set<Assignor> assignors = options.assignors();
        Logs.to(options.log());
        Timeline timeline = new Timeline(System.out, CommandLine.Help.Ansi.AUTO.enabled());
        introduce(settings, timeline);
        List<RunResult> runs = runAll(assignors, settings, timeline);
        boolean good = runs.stream().allMatch(run -> run.verdict().good());
        timeline.print(Table.of(runs));
        runs.forEach(run -> timeline.print(run.assignor() + ": " + run.verdict().sentence()));
        if (options.json() != null) {
            new Report(settings, runs, good).write(options.json());
        }
        return good ? 0 : 1;
    }

    private List<RunResult> runAll(Set<Assignor> assignors, Settings settings, Timeline timeline)
            throws InterruptedException {
        List<RunResult> runs = new ArrayList<>();
        try (Workspace workspace = Workspace.create(options.workDir());
                Broker broker = Broker.start(workspace.path("broker"));
                Admin admin = Admin.create(Map.of("bootstrap.servers", broker.address()))) {
            Optional<EventFile> events = options.events().map(EventFile::create);
            timeline.say("a Kafka broker is up in this process");
            for (Assignor assignor : assignors) {
                try (Run run = new Run(assignor, settings, timeline, broker.address(), admin, workspace)) {
                    runs.add(run.execute(events));
                }
                Topics.deleteAll(admin);
                workspace.delete("state-" + assignor.label());
            }
        }
        return runs;
    }

    private void introduce(Settings settings, Timeline timeline) {
        timeline.print(String.format(Locale.ROOT,
                "%d partitions, %d MiB of state, %d records/s, %d thread(s) an instance, %s, heartbeat %d ms",
                settings.partitions(), settings.stateMb(), settings.rate() * settings.partitions(),
                settings.threads(), settings.guarantee(), settings.heartbeatMs()));
    }
}
