// SPDX-License-Identifier: Apache-2.0
/** Reads files of events (`events/1`, in hosts/SCENARIO.md). A file holds one run behind the other, each with a head. */

export interface Head {
  segue: "events/1";
  name: string;
  source?: "simulation" | "demo" | "recording";
  assignor: string;
  mode?: string;
  seed?: number;
  /** Of a comparison: the runs of one assignor and mode, a seed each. */
  seeds?: number;
  standbys: number;
  acceptable_bytes: number;
  /** What lags are counted in; bytes where nothing is said. */
  lag_unit?: "bytes" | "records";
  began_ms?: number;
  tasks: { id: string; stateful: boolean; state_bytes: number }[];
  members: { id: string; threads: number }[];
}

export interface Row {
  at_us: number;
  event: string;
  task?: string;
  member?: string;
  role?: string;
  lag_bytes?: number;
  bytes?: number;
  bytes_per_s?: number;
  disk?: string;
  deadline_us?: number;
  cause?: string;
  moves?: number;
  min_moves?: number;
  learners?: number;
  members?: number;
  held_back?: number;
  fallback?: boolean;
  from?: string;
  to?: string;
  kind?: string;
  reason?: string;
  text?: string;
}

export interface Recording {
  head: Head;
  rows: Row[];
  endUs: number;
}

/** A run of a comparison whose events were too many: its seed and its figures. */
export interface Bare {
  segue: "figures/1";
  assignor: string;
  mode?: string;
  figures: Record<string, number | null>;
}

export interface Parsed {
  recordings: Recording[];
  bare: Bare[];
}

/** One JSON line each; a line that has `segue` begins a run. */
export function parse(text: string): Parsed {
  const found: Recording[] = [];
  const bare: Bare[] = [];
  for (const line of text.split("\n")) {
    if (line.trim() === "") {
      continue;
    }
    const value: unknown = JSON.parse(line);
    if (is<Head>(value, "events/1")) {
      found.push({ head: value, rows: [], endUs: 0 });
    } else if (is<Bare>(value, "figures/1")) {
      bare.push(value);
    } else {
      const last = found[found.length - 1];
      const row = value as Row;
      if (last) {
        last.rows.push(row);
        last.endUs = Math.max(last.endUs, row.at_us);
      }
    }
  }
  return { recordings: found, bare };
}

function is<T extends Head | Bare>(value: unknown, version: T["segue"]): value is T {
  return typeof value === "object" && value !== null && (value as { segue?: string }).segue === version;
}
