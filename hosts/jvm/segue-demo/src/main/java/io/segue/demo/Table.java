// SPDX-License-Identifier: Apache-2.0
package io.segue.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** The runs side by side, one block for each instance that joined. */
final class Table {
    private static final int LABEL = 30;
    private static final int COLUMN = 22;

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
        return table.text.toString();
    }

    private void block(int event) {
        EventResult first = runs.get(0).events().get(event);
        line("\n" + first.from() + " -> " + first.to() + " instances", runs.stream().map(RunResult::assignor).toList());
        for (int partition = 0; partition < first.gapsMs().size(); partition++) {
            int index = partition;
            row("  task 0_" + partition + " gap / output, ms", event,
                    result -> result.gapsMs().get(index) + " / " + result.outputGapsMs().get(index));
        }
        row("  longest gap / output, ms", event,
                result -> result.longestGapMs() + " / " + result.longestOutputGapMs());
        row("  longest without owner, ms", event, result -> String.valueOf(max(result.vacanciesMs())));
        row("  actives moved / at least", event, result -> result.moved() + " / " + result.leastMoves());
        row("  rebalances", event, result -> String.valueOf(result.rebalances()));
        row("  state copies built", event, result -> String.valueOf(result.copiesBuilt()));
        row("  even after, s", event, result -> String.format(Locale.ROOT, "%.1f", result.settledMs() / 1000.0));
    }

    private void row(String label, int event, Function<EventResult, String> cell) {
        List<String> cells = new ArrayList<>();
        runs.forEach(run -> cells.add(cell.apply(run.events().get(event))));
        line(label, cells);
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
