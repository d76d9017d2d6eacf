// SPDX-License-Identifier: Apache-2.0
/** Reads files of events (`events/1`, in hosts/SCENARIO.md). A file holds one run behind the other, each with a head. */

export interface Head {
  segue: "events/1";
  name: string;
  source?: "simulation" | "demo" | "recording";
  assignor: string;
  mode?: string;
  seed?: number;
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

/** One JSON line each; a line that has `segue` begins a run. */
export function parse(text: string): Recording[] {
  const found: Recording[] = [];
  for (const line of text.split("\n")) {
    if (line.trim() === "") {
      continue;
    }
    const value: unknown = JSON.parse(line);
    if (isHead(value)) {
      found.push({ head: value, rows: [], endUs: 0 });
    } else {
      const last = found[found.length - 1];
      const row = value as Row;
      if (last) {
        last.rows.push(row);
        last.endUs = Math.max(last.endUs, row.at_us);
      }
    }
  }
  return found;
}

function isHead(value: unknown): value is Head {
  return typeof value === "object" && value !== null && (value as { segue?: string }).segue === "events/1";
}
