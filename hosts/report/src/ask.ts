// SPDX-License-Identifier: Apache-2.0
/** Questions to a run about one moment. */

import type { Decision, Point, Rebalance, Run } from "./model";

/** The last point at or before a time; the first one's value counts before it. */
export function valueAt(points: Point[], at: number): number {
  let low = 0;
  let high = points.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (points[middle]!.at <= at) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return points[Math.max(0, low - 1)]?.value ?? 0;
}

/** What was decided of a task before a time: what concerns the member first, else whatever came last. */
export function decisionAt(run: Run, task: number, member: number, at: number): Decision | undefined {
  const before = (run.decisions[task] ?? []).filter((one) => one.at <= at);
  const concerned = before.filter((one) => one.to === member || one.from === member);
  const own = concerned[concerned.length - 1];
  const last = before[before.length - 1];
  return own && (!last || own.at >= last.at || barAt(run, task, member, at)) ? own : (last ?? own);
}

function barAt(run: Run, task: number, member: number, at: number): boolean {
  const row = run.lanes[member]?.rows.find((one) => one.task === task);
  return row?.bars.some((bar) => bar.from <= at && at <= bar.to) ?? false;
}

/** The rebalances of the moment next to a time, and no farther from it than `near`. */
export function rebalancesAt(run: Run, at: number, near: number): Rebalance[] {
  const away = (one: Rebalance): number => Math.abs(one.at - at);
  const nearest = run.rebalances.reduce((least, one) => Math.min(least, away(one)), Infinity);
  const found = nearest <= near ? run.rebalances.find((one) => away(one) === nearest) : undefined;
  return run.rebalances.filter((one) => one.at === found?.at);
}
