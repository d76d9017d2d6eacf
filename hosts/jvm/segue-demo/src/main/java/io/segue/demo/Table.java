// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The runs side by side, one block for each instance that joined, and one for the ways to go. */
final class Table {
    private static final int LABEL = 30;
    private static final int COLUMN = 22;
    private static final String LEGEND = """

            gap: longest silence of a task at its processor; output: the same at the output topic; without owner: no
            instance had the task open; state copies built: tasks whose state was copied to another instance; even
            after: from the start of it to the last hand-over
            """;

    private final List<RunResult> runs;
    private final StringBuilder text = new StringBuilder();

    private Table(List<RunResult> runs) {
        this.runs = runs;
    }

    static String of(List<RunResult> runs) {
        Table table = new Table(runs);
        for (int event = 0; event < runs.get(0).events().size(); event++) {
            table.block(event);
        }
        runs.stream().map(RunResult::exits).filter(exits -> !exits.isEmpty()).forEach(table::exits);
        table.text.append(LEGEND).append('\n');
        for (int event = 0; event < runs.get(0).events().size(); event++) {
            table.summary(event);
        }
        runs.stream().filter(run -> !run.exits().isEmpty()).forEach(table::exitSummary);
        return table.text.toString();
    }

    /** What a hurried reader takes away: the longest silence under each assignor. */
    private void summary(int event) {
        EventResult first = runs.get(0).events().get(event);
        text.append("longest gap from ").append(first.from()).append(" to ").append(first.to()).append(": ");
        text.append(runs.stream()
                .map(run -> run.assignor() + " " + seconds(run.events().get(event)))
                .collect(Collectors.joining(", ")));
        text.append('\n');
    }

    /** The ways to go beside each other, and the bar for the drain: what a scale-out costs with as much state. */
    private void exitSummary(RunResult run) {
        EventResult first = run.exits().get(0).event();
        text.append("longest gap from ").append(first.from()).append(" to ").append(first.to()).append(": ")
                .append(run.exits().stream()
                        .map(exit -> exit.way() + " " + seconds(exit.event()))
                        .collect(Collectors.joining(", ")))
                .append("; of the same run's scale-outs: ")
                .append(Stream.concat(run.events().stream(), run.rejoins().stream())
                        .map(Table::seconds)
                        .collect(Collectors.joining(", ")))
                .append('\n');
    }

    private static String seconds(EventResult event) {
        return String.format(Locale.ROOT, "%.2f s", event.longestGapMs() / 1000.0);
    }

    private void block(int event) {
        EventResult first = runs.get(0).events().get(event);
        rows(runs.stream().map(run -> run.events().get(event)).toList(),
                first.from() + " -> " + first.to() + " instances", runs.stream().map(RunResult::assignor).toList());
    }

    private void rows(List<EventResult> results, String title, List<String> columns) {
        line("\n" + title, columns);
        for (int partition = 0; partition < results.get(0).gapsMs().size(); partition++) {
            int index = partition;
            row("  task 0_" + partition + " gap / output, ms", results,
                    result -> result.gapsMs().get(index) + " / " + result.outputGapsMs().get(index));
        }
        row("  longest gap / output, ms", results,
                result -> result.longestGapMs() + " / " + result.longestOutputGapMs());
        row("  longest without owner, ms", results, result -> String.valueOf(max(result.vacanciesMs())));
        row("  actives moved / at least", results, result -> result.moved() + " / " + result.leastMoves());
        row("  rebalances", results, result -> String.valueOf(result.rebalances()));
        row("  state copies built", results, result -> String.valueOf(result.copiesBuilt()));
        row("  even after, s", results, result -> String.format(Locale.ROOT, "%.1f", result.settledMs() / 1000.0));
    }

    private void exits(List<ExitResult> exits) {
        List<EventResult> results = exits.stream().map(ExitResult::event).toList();
        rows(results, results.get(0).from() + " -> " + results.get(0).to() + " instances",
                exits.stream().map(ExitResult::way).toList());
    }

    private void row(String label, List<EventResult> results, Function<EventResult, String> cell) {
        line(label, results.stream().map(cell).toList());
    }

    private void line(String label, List<String> cells) {
        text.append(label).append(" ".repeat(Math.max(1, LABEL - label.replace("\n", "").length())));
        cells.forEach(cell -> text.append(String.format(Locale.ROOT, "%" + COLUMN + "s", cell)));
        text.append('\n');
    }

    private static long max(List<Long> values) {
        return values.stream().mapToLong(Long::longValue).max().orElse(0);
    }
}
