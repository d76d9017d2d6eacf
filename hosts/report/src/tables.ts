// SPDX-License-Identifier: Apache-2.0
/** The tables below the charts: figures of all runs side by side, rebalances, gaps, members. */

import { valueAt } from "./ask";
import { spread, title, type Column, type Spread } from "./columns";
import { byId, el, fill, type Cell } from "./dom";
import { FIGURES, valueOf, type Figures } from "./figures";
import { bytes, clock, figure, plain, seconds } from "./format";
import type { Gap, Rebalance, Run } from "./model";

const ROWS = 500;

/** As `segue compare` prints it: the median, and the span where runs differ. */
function spreadText({ median, least, most }: Spread, unit: string): string {
  return least === most ? figure(median, unit) : `${figure(median, unit)} (${figure(least, unit)} to ${figure(most, unit)})`;
}

export function showFigures(all: Column[]): void {
  const seeds = Math.max(...all.map((column) => column.runs.length));
  const told = Math.max(...all.map((column) => column.runs.filter((run) => run.recording).length));
  byId("figures-hint").textContent = seeds < 2 ? "" : `Medians of ${plain(seeds)} runs each, in brackets from least to most; the run of each seed can be chosen above${
    told < seeds ? `, of the first ${plain(told)}: the events of more would be too much for a browser, and their figures are those of the program` : ""}.`;
  const rows = FIGURES.map((row): Cell[] => [
    { text: row.name, head: true },
    ...all.map((column): Cell => {
      const found = spread(column, row.name);
      return { text: spreadText(found, row.unit), value: found.median, least: found.least, most: found.most, number: true };
    }),
    { text: row.meaning, muted: true },
  ]);
  const titles = [{ title: "figure" }, ...all.map((column) => ({ title: title(column.head), number: true })), { title: "what it is" }];
  fill(byId("figures"), "", titles, rows);
}

export function showCards(figures: Figures): void {
  const value = (name: string): number => valueOf(figures, name);
  const down = value("tasks_down");
  const cards: [string, string, boolean][] = [
    [seconds(value("longest_gap_s")), "longest gap of a task", false],
    [`${plain(value("moves"))} / ${plain(value("least_moves"))}`, "tasks moved / at least", false],
    [plain(value("rebalances")), "rebalances", false],
    [bytes(value("bytes_restored")), "restored", false],
    [figure(value("balance_s"), "s"), "until balanced", false],
    down > 0 ? [plain(down), "tasks that nobody runs in the end", true] : [seconds(value("down_s")), "down, over all tasks", false],
  ];
  byId("cards").replaceChildren(
    ...cards.map(([number, text, bad]) => {
      const card = el("li", undefined, bad ? "bad" : "");
      card.append(el("b", number), el("span", text));
      return card;
    }),
  );
}

function cut(id: string, count: number, what: string, order: string): void {
  byId(id).textContent = count === 0 ? `There are no ${what}.` : count > ROWS ? `${plain(count)} ${what}; ${order} ${ROWS} are listed.` : `${plain(count)} ${what}.`;
}

export function showRebalances(run: Run, go: (rebalance: Rebalance) => void): void {
  const shown = run.rebalances.slice(0, ROWS);
  cut("rebalances-hint", run.rebalances.length, "rebalances", "the first");
  const number = (value: number): Cell => ({ text: plain(value), value, number: true });
  fill(
    byId("rebalances"),
    "",
    [{ title: "at" }, { title: "cause" }, ...["moves", "at least", "learners", "members", "held back"].map((t) => ({ title: t, number: true })),
      { title: "by" }, { title: "timeline" }],
    shown.map((one) => [
      { text: clock(one.at), value: one.at, head: true },
      { text: one.cause, value: one.cause },
      number(one.moves), number(one.minMoves), number(one.learners), number(one.members), number(one.heldBack),
      { text: one.fallback ? "the fallback" : "the assignor", value: one.fallback },
    ]),
    (i) => go(shown[i]!),
  );
}

export function showGaps(run: Run, go: (gap: Gap) => void): void {
  const shown = [...run.gaps].sort((a, b) => b.to - b.from - (a.to - a.from)).slice(0, ROWS);
  cut("gaps-hint", run.gaps.length, "gaps", "the longest");
  const name = (member: number): string => (member < 0 ? "nobody" : (run.members[member] ?? ""));
  fill(
    byId("gaps"),
    "",
    [{ title: "task" }, { title: "length", number: true }, { title: "from" }, { title: "ran on" }, { title: "went on" }, { title: "timeline" }],
    shown.map((gap) => [
      { text: run.tasks[gap.task] ?? "", value: run.tasks[gap.task] ?? "", head: true, name: true },
      { text: seconds((gap.to - gap.from) / 1e6), value: gap.to - gap.from, number: true },
      { text: clock(gap.from), value: gap.from },
      { text: name(gap.before), name: true },
      { text: gap.ends ? name(gap.after) : "not before the end", name: true },
    ]),
    (i) => go(shown[i]!),
  );
}

export function showMembers(run: Run): void {
  const lanes = run.lanes.filter((lane) => lane.member < run.recording.head.members.length);
  const count = (bars: string, lane: Run["lanes"][number]): number =>
    lane.rows.reduce((sum, row) => sum + row.bars.filter((bar) => bar.kind === bars).length, 0);
  const number = (value: number): Cell => ({ text: plain(value), value, number: true });
  fill(
    byId("members"),
    "",
    [{ title: "member" }, ...["runs at the beginning", "at most", "at the end", "learned", "standbys", "restored"].map((t) => ({ title: t, number: true }))],
    lanes.map((lane) => [
      { text: run.members[lane.member] ?? "", value: run.members[lane.member] ?? "", head: true, name: true },
      number(valueAt(lane.load, 0)),
      number(lane.load.reduce((most, point) => Math.max(most, point.value), 0)),
      number(valueAt(lane.load, run.end)),
      number(count("learner", lane)),
      number(count("standby", lane)),
      { text: bytes(lane.restored), value: lane.restored, number: true },
    ]),
  );
}
