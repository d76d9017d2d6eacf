// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

import io.segue.kafka.streams.AssignmentListener;
import io.segue.kafka.streams.SegueTaskAssignor;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.streams.errors.InvalidStateStoreException;

/** One assignor's run: fill the state on one instance, keep the input constant, let the others join one by one. */
final class Run implements AutoCloseable {
    private final Assignor assignor;
    private final Settings settings;
    private final Timeline timeline;
    private final Faults faults = new Faults();
    private final Await await = new Await(faults);
    private final Workload workload;
    private final Ledger ledger;
    private final Journal journal;
    private final AssignmentListener.Registration plans;
    private final Site site;
    private final Input input;
    private final OutputWatch output;
    private final CopyReporter reporter;
    private final List<Instance> instances = new ArrayList<>();
    private int started;

    Run(Assignor assignor, Settings settings, Timeline timeline, String brokers, Admin admin, Workspace workspace) {
        this.assignor = assignor;
        this.settings = settings;
        this.timeline = timeline;
        this.journal = new Journal(settings);
        this.plans = SegueTaskAssignor.listen(journal::planned);
        this.workload = Workload.of(settings);
        this.ledger = new Ledger(settings.partitions(), this::tell);
        Topics topics = Topics.of(assignor.label());
        topics.create(admin, settings.partitions(), await);
        this.site = new Site(brokers, topics, workspace, "state-" + assignor.label(), ledger, journal, faults);
        this.input = new Input(brokers, topics.input(), workload, settings.rate(), faults);
        this.output = new OutputWatch(brokers, topics.output(), settings, faults);
        this.reporter = new CopyReporter(timeline, journal::sweep);
    }

    private void tell(HandOver handOver) {
        timeline.say("task 0_%d handed over from %s to %s in %d ms",
                handOver.partition(), handOver.from(), handOver.to(), handOver.silenceMs());
    }

    /** @param eventFile gets what happened, where it is wanted */
    RunResult execute(Optional<EventFile> eventFile) throws InterruptedException {
        timeline.print("\n== " + assignor.label() + ": " + assignor.note() + " ==");
        fill();
        input.start();
        await.until("output from every partition", settings.deadline(), this::state,
                () -> output.hasAll(settings.rate()) && ledger.allBusy(quietMs()));
        await.until("RocksDB to settle after the fill", settings.deadline(), this::state, this::calm);
        journal.begin();
        timeline.say("pod-1 is alone at work, %d records/s", rateInAll());
        List<EventResult> events = new ArrayList<>();
        while (instances.size() < settings.instances()) {
            events.add(join());
        }
        List<EventResult> rejoins = new ArrayList<>();
        List<ExitResult> exits = new ArrayList<>();
        if (assignor == Assignor.SCALE_DOWN) {
            exit(rejoins, exits);
        }
        eventFile.ifPresent(file -> file.append(assignor.label(), settings, journal));
        return new RunResult(assignor.label(), assignor.note(), events, rejoins, exits, audit());
    }

    /** Each way from the same state: as many instances as before, and no copies but those at work. */
    private void exit(List<EventResult> rejoins, List<ExitResult> exits) {
        for (Exit way : settings.ways()) {
            if (instances.size() < settings.instances()) {
                rejoins.add(join());
            }
            exits.add(exit(way));
        }
    }

    private ExitResult exit(Exit way) {
        await.until("old copies to be cleaned up", settings.deadline(), this::state, this::clean);
        await.until("RocksDB to settle", settings.deadline(), this::state, this::calm);
        Event event = new Event(instances, ledger, output);
        Instance last = instances.get(instances.size() - 1);
        int owned = ledger.owners().getOrDefault(last.name(), 0);
        timeline.say("%s %s", last.name(), way.sentence());
        way.begin(last, journal);
        await.until(last.name() + " to stop", settings.deadline(), this::state, last::stopped);
        journal.down(last.name(), true);
        timeline.say("%s has stopped", last.name());
        instances.remove(last);
        await.until("the others to have it all", settings.deadline(), this::state, this::settled);
        EventResult result = event.result(owned);
        timeline.say("%d instances share the work; longest gap %d ms, at the output %d ms",
                instances.size(), result.longestGapMs(), result.longestOutputGapMs());
        return new ExitResult(way.label(), result);
    }

    private boolean clean() {
        return instances.stream().mapToLong(Instance::directories).sum() == settings.partitions();
    }

    private void fill() {
        timeline.say("pod-1 starts and fills the state: %,d records, %d MiB", settings.preloaded(), settings.stateMb());
        start();
        input.preload(sent -> showFilling());
        await.until("the state to be filled", settings.deadline(), this::state, () -> {
            showFilling();
            return ledger.processed() >= settings.preloaded();
        });
        timeline.say("pod-1 has filled the state");
    }

    /** What was loaded a moment ago is still being rewritten, which no real application would be busy with. */
    private boolean calm() {
        return instances.stream().noneMatch(Instance::compacting);
    }

    private void showFilling() {
        timeline.progress("pod-1 filling", ledger.processed(), settings.preloaded());
    }

    private void start() {
        Instance instance = Instance.start("pod-" + ++started, assignor, settings, site);
        instances.add(instance);
    }

    private EventResult join() {
        Event event = new Event(instances, ledger, output);
        timeline.say("pod-%d starts", started + 1);
        start();
        reporter.watch(instances.get(instances.size() - 1));
        await.until("the shares to be even", assignor.deadline(settings), this::state, this::settled);
        EventResult result = event.result();
        timeline.say("%d instances share the work; longest gap %d ms, at the output %d ms",
                instances.size(), result.longestGapMs(), result.longestOutputGapMs());
        return result;
    }

    /** Even, at work, and calm for longer than one heartbeat, so that no further round is under way. */
    private boolean settled() {
        return ledger.owners().size() == instances.size()
                && Balance.even(ledger.owners().values(), instances.size())
                && ledger.unchangedForMs() > settings.heartbeatMs() + 1000L
                && ledger.allBusy(quietMs())
                && instances.stream().allMatch(Instance::running);
    }

    private Verdict audit() throws InterruptedException {
        input.stop();
        await.until("the last output", settings.deadline(), this::state, () -> output.hasAll(input.sent()));
        AtomicReference<Verdict> verdict = new AtomicReference<>();
        await.until("stores that can be read", settings.deadline(), this::state, () -> examine(verdict));
        timeline.say("%s", verdict.get().sentence());
        return verdict.get();
    }

    /** Where a round is under way again, as behind a member that left late, stores are shut for a moment. */
    private boolean examine(AtomicReference<Verdict> verdict) {
        try {
            verdict.set(new Audit(workload, input.sent())
                    .examine(output::emissions, instances, ledger.everDoubled()));
            return true;
        } catch (InvalidStateStoreException shut) {
            return false;
        }
    }

    private long quietMs() {
        return Math.max(500, 5000L / settings.rate());
    }

    private long rateInAll() {
        return (long) settings.rate() * settings.partitions();
    }

    private String state() {
        return "processed " + ledger.processed() + ", owners " + ledger.owners() + ", output at least "
                + output.least() + " per partition";
    }

    @Override
    public void close() {
        plans.close();
        reporter.close();
        input.close();
        instances.parallelStream().forEach(Instance::close);
        output.close();
    }
}
