// SPDX-License-Identifier: Apache-2.0
/** What there is to say of a point of the timeline: the bar, the lag, the decision and its reason. */

import { decisionAt, rebalancesAt, valueAt } from "./ask";
import { isolate } from "./dom";
import { bytes, clock, plain, seconds } from "./format";
import type { Place } from "./layout";
import type { Kind, Rebalance, Run } from "./model";

const REBALANCES_TOLD = 3;

export interface Words {
  what: string;
  state: string;
  bad: boolean;
  why: string[];
}

const STATES: Record<Kind, string> = {
  active: "runs it",
  opening: "is to run it, and does not process yet",
  learner: "learns it while its owner goes on",
  standby: "keeps a standby of it",
};

export function words(run: Run, place: Place, at: number): Words {
  const member = isolate(run.members[place.lane.member] ?? "");
  if (!place.row) {
    return { what: `${member}, ${clock(at)}`, state: isDown(place, at) ? "is away" : "has no task", bad: false, why: [] };
  }
  const { row } = place;
  const task = isolate(run.tasks[row.task] ?? "");
  const gap = row.gaps.find((one) => one.from <= at && at < one.to);
  return {
    what: `${task} on ${member}, ${clock(at)}`,
    state: gap ? gapText(run, gap) : stateText(run, place, at),
    bad: gap !== undefined,
    why: why(run, row.task, place.lane.member, at),
  };
}

/** What rebalances there are at a time, or, for a pointer, no farther from it than `near`: a line each, and only so many. */
export function rebalanceWords(run: Run, at: number, near: number): string[] {
  const found = rebalancesAt(run, at, near);
  const first = run.rebalances.indexOf(found[0]!);
  const told = found.slice(0, REBALANCES_TOLD).map((one, i) => `Rebalance ${plain(first + i + 1)} of ${plain(run.rebalances.length)} at ${
    clock(one.at)}, cause: ${one.cause}; ${counts(one)}${one.fallback ? "; the fallback decided" : ""}`);
  const left = found.length - told.length;
  return left > 0 ? [...told, `and ${plain(left)} more at the same time`] : told;
}

function counts(one: Rebalance): string {
  const of = (count: number, what: string): string => `${plain(count)} ${what}${count === 1 ? "" : "s"}`;
  return [`${of(one.moves, "move")} (at least ${plain(one.minMoves)})`, of(one.learners, "learner"), of(one.members, "member"),
    `${plain(one.heldBack)} held back`].join(", ");
}

function isDown(place: Place, at: number): boolean {
  return place.lane.down.some((one) => one.from <= at && at < one.to);
}

function gapText(run: Run, gap: { from: number; to: number; after: number; ends: boolean }): string {
  const length = seconds((gap.to - gap.from) / 1e6);
  return gap.ends ? `Gap: nobody processes it for ${length}; then ${isolate(run.members[gap.after] ?? "somebody")} does` : `Gap: nobody processes it any more (${length}, to the end)`;
}

function stateText(run: Run, place: Place, at: number): string {
  const row = place.row!;
  const bar = row.bars.find((one) => one.from <= at && at < one.to) ?? row.bars.find((one) => one.to === at);
  if (isDown(place, at)) {
    return "is away";
  }
  if (!bar) {
    return "has no role in it now";
  }
  const since = `since ${clock(bar.from)}`;
  const behind = row.lag.length > 0 && bar.kind !== "active" ? valueAt(row.lag, at) || 0 : 0;
  const lag = behind > 0 ? `, ${lagText(run, behind)} behind at last word` : "";
  const ready = bar.kind === "learner" && row.ready.some((one) => bar.from <= one && one <= at) ? ", ready" : "";
  return `${STATES[bar.kind]}, ${since}${ready}${lag}`;
}

export function lagText(run: Run, lag: number): string {
  return run.recording.head.lag_unit === "records" ? `${plain(Math.round(lag))} records` : bytes(lag);
}

function why(run: Run, task: number, member: number, at: number): string[] {
  const decision = decisionAt(run, task, member, at);
  if (!decision) {
    const last = [...run.rebalances].reverse().find((one) => one.at <= at);
    return last ? [`No decision about it is told. Last rebalance: ${clock(last.at)}, ${last.cause}.`] : [];
  }
  const rebalance = run.rebalances[decision.rebalance];
  return [
    `${decision.kind} (${decision.reason}): ${decision.text}`,
    `Decided at ${clock(decision.at)}${rebalance ? ` in rebalance ${plain(decision.rebalance + 1)} of ${plain(run.rebalances.length)}, cause: ${rebalance.cause}` : ""}`,
  ];
}
