// SPDX-License-Identifier: Apache-2.0
/** The runs of a page side by side: a column for each, or, in a comparison of several seeds, for each assignor and mode. */

import { isolate, tame } from "./dom";
import type { Head, Parsed, Recording } from "./events";
import { measure, valueOf, type Figures } from "./figures";

export interface OneRun {
  seed: number;
  figures: Figures;
  /** Undefined where its events were too many for the page. */
  recording: Recording | undefined;
}

export interface Column {
  head: Head;
  runs: OneRun[];
}

export interface Spread {
  median: number;
  least: number;
  most: number;
}

export function title(head: Head): string {
  return `${isolate(tame(head.name))} under ${tame(`${head.assignor}${head.mode ? ` ${head.mode}` : ""}`)}`;
}

const key = (one: { assignor: string; mode?: string }): string => `${one.assignor} ${one.mode ?? ""}`;

export function columns({ recordings, bare }: Parsed): Column[] {
  const found: Column[] = [];
  const compared = new Map<string, Column>();
  for (const recording of recordings) {
    const { head } = recording;
    const run = { seed: head.seed ?? 0, figures: measure(recording), recording };
    const known = head.seeds === undefined ? undefined : compared.get(key(head));
    if (known) {
      known.runs.push(run);
      continue;
    }
    const column = { head, runs: [run] };
    found.push(column);
    if (head.seeds !== undefined) {
      compared.set(key(head), column);
    }
  }
  bare.forEach((one) => compared.get(key(one))?.runs.push({ seed: valueOf(one.figures, "seed"), figures: one.figures, recording: undefined }));
  return found;
}

export function spread(column: Column, name: string): Spread {
  const all = column.runs.map((run) => valueOf(run.figures, name)).sort((a, b) => (a === b ? 0 : a - b));
  const at = (i: number): number => all[i] ?? 0;
  return { median: (at((all.length - 1) >> 1) + at(all.length >> 1)) / 2, least: at(0), most: at(all.length - 1) };
}
