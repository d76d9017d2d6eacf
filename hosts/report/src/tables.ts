// SPDX-License-Identifier: Apache-2.0
/** The tables below the charts: figures of all runs side by side, rebalances, gaps, members. */

import { valueAt } from "./ask";
import { byId, el, fill, type Cell } from "./dom";
import { FIGURES, type Figures } from "./figures";
import { bytes, clock, figure, plain, seconds } from "./format";
import type { Gap, Rebalance, Run } from "./model";

const ROWS = 500;

export function title(run: { recording: Run["recording"] }): string {
  const { name, assignor, mode } = run.recording.head;
  return `${name} under ${assignor}${mode ? ` ${mode}` : ""}`;
}

export function showFigures(runs: { recording: Run["recording"]; figures: Figures }[]): void {
  const rows = FIGURES.map((row): Cell[] => [
    { text: row.name, head: true },
    ...runs.map((run): Cell => {
      const value = run.figures[row.name] ?? 0;
      return { text: figure(value, row.unit), value, number: true };
    }),
    { text: row.meaning, muted: true },
  ]);
  const columns = [{ title: "figure" }, ...runs.map((run) => ({ title: title(run), number: true })), { title: "what it is" }];
  fill(byId("figures"), "", columns, rows);
}

export function showCards(figures: Figures): void {
  const value = (name: string): number => figures[name] ?? 0;
  const down = value("tasks_down");
  const cards: [string, string, boolean][] = [
    [seconds(value("longest_gap_s")), "longest gap of a task", false],
    [`${plain(value("moves"))} / ${plain(value("least_moves"))}`, "tasks moved / at least", false],
    [plain(value("rebalances")), "rebalances", false],
    [bytes(value("bytes_restored")), "restored", false],
    [seconds(value("balance_s")), "until balanced", false],
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
      { text: run.tasks[gap.task] ?? "", value: run.tasks[gap.task] ?? "", head: true },
      { text: seconds((gap.to - gap.from) / 1e6), value: gap.to - gap.from, number: true },
      { text: clock(gap.from), value: gap.from },
      { text: name(gap.before) },
      { text: gap.ends ? name(gap.after) : "not before the end" },
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
      { text: run.members[lane.member] ?? "", value: run.members[lane.member] ?? "", head: true },
      number(valueAt(lane.load, 0)),
      number(lane.load.reduce((most, point) => Math.max(most, point.value), 0)),
      number(valueAt(lane.load, run.end)),
      number(count("learner", lane)),
      number(count("standby", lane)),
      { text: bytes(lane.restored), value: lane.restored, number: true },
    ]),
  );
}
