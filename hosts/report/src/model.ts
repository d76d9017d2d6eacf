// SPDX-License-Identifier: Apache-2.0
/** A run as the page shows it: bars, gaps, decisions, curves. Made from the events alone; times are microseconds. */

import { tame } from "./dom";
import type { Recording, Row } from "./events";

export type Kind = "active" | "opening" | "learner" | "standby";

export interface Bar {
  kind: Kind;
  from: number;
  to: number;
}

/** Nobody processes the task. */
export interface Gap {
  task: number;
  from: number;
  to: number;
  /** Who ran it before and who runs it then, or -1. */
  before: number;
  after: number;
  ends: boolean;
}

export interface Decision {
  at: number;
  rebalance: number;
  from: number;
  to: number;
  kind: string;
  reason: string;
  text: string;
}

export interface Rebalance {
  at: number;
  cause: string;
  moves: number;
  minMoves: number;
  learners: number;
  members: number;
  heldBack: number;
  fallback: boolean;
}

export interface Point {
  at: number;
  value: number;
}

/** One copy of one task, over the whole run. */
export interface CopyRow {
  task: number;
  member: number;
  bars: Bar[];
  gaps: Gap[];
  /** When a learner was within the acceptable lag. */
  ready: number[];
  /** What it lacks while it replays; NaN parts one replay from the next. */
  lag: Point[];
}

export interface Lane {
  member: number;
  rows: CopyRow[];
  load: Point[];
  /** When its process was not there, and since when it was marked as leaving. */
  down: { from: number; to: number }[];
  marked: { from: number; to: number }[];
  restored: number;
}

export interface Run {
  recording: Recording;
  tasks: string[];
  members: string[];
  lanes: Lane[];
  gaps: Gap[];
  rebalances: Rebalance[];
  decisions: Decision[][];
  end: number;
}

interface Copy {
  row: CopyRow;
  role: string;
  runs: boolean;
  since: number;
  shown: Kind | undefined;
  lag: number;
  lags: boolean;
}

const NOBODY = -1;

class Builder {
  readonly tasks = new Map<string, number>();
  readonly members = new Map<string, number>();
  private readonly copies = new Map<number, Copy>();
  private readonly lanes: Lane[];
  private readonly up: boolean[];
  private readonly owner: number[];
  private readonly stopped: number[];
  private readonly last: number[];
  private readonly load: number[];
  private readonly marked: (number | undefined)[];
  private readonly wentDown: (number | undefined)[];
  private readonly gaps: Gap[] = [];
  private readonly rebalances: Rebalance[] = [];
  private readonly decisions: Decision[][];

  constructor(private readonly recording: Recording) {
    recording.head.tasks.forEach((task, i) => this.tasks.set(task.id, i));
    recording.head.members.forEach((member, i) => this.members.set(member.id, i));
    this.lanes = recording.head.members.map((_, member) => ({
      member,
      rows: [],
      load: [{ at: 0, value: 0 }],
      down: [],
      marked: [],
      restored: 0,
    }));
    const perTask = <T>(value: T): T[] => recording.head.tasks.map(() => value);
    this.owner = perTask(NOBODY);
    this.last = perTask(NOBODY);
    this.stopped = perTask(0);
    this.decisions = recording.head.tasks.map(() => []);
    this.up = this.lanes.map(() => false);
    this.load = this.lanes.map(() => 0);
    this.marked = this.lanes.map(() => undefined);
    this.wentDown = this.lanes.map(() => 0);
  }

  build(): Run {
    this.recording.rows.forEach((row) => this.take(row));
    this.close();
    const byTask = (a: CopyRow, b: CopyRow): number => a.task - b.task;
    this.lanes.forEach((lane) => {
      lane.rows = lane.rows.filter((row) => row.bars.length > 0 || row.gaps.length > 0).sort(byTask);
    });
    return {
      recording: this.recording,
      tasks: [...this.tasks.keys()].map(tame),
      members: [...[...this.members.keys()].map(tame), ...(this.lanes.length > this.members.size ? ["nobody"] : [])],
      lanes: this.lanes,
      gaps: this.gaps,
      rebalances: this.rebalances,
      decisions: this.decisions,
      end: Math.max(this.recording.endUs, 1),
    };
  }

  private member(name: string | undefined): number {
    return name === undefined ? NOBODY : (this.members.get(name) ?? NOBODY);
  }

  private take(row: Row): void {
    const member = this.member(row.member);
    const task = row.task === undefined ? NOBODY : (this.tasks.get(row.task) ?? NOBODY);
    if (row.event === "rebalance") {
      this.rebalance(row);
    } else if (row.event === "decision") {
      this.decide(row, task);
    } else if (task !== NOBODY && member !== NOBODY) {
      this.ofCopy(row, task, member);
    } else if (member !== NOBODY) {
      this.ofMember(row, member);
    }
  }

  private rebalance(row: Row): void {
    this.rebalances.push({
      at: row.at_us,
      cause: tame(row.cause ?? ""),
      moves: row.moves ?? 0,
      minMoves: row.min_moves ?? 0,
      learners: row.learners ?? 0,
      members: row.members ?? 0,
      heldBack: row.held_back ?? 0,
      fallback: row.fallback ?? false,
    });
  }

  private decide(row: Row, task: number): void {
    this.decisions[task]?.push({
      at: row.at_us,
      rebalance: this.rebalances.length - 1,
      from: this.member(row.from),
      to: this.member(row.to),
      kind: tame(row.kind ?? ""),
      reason: tame(row.reason ?? ""),
      text: tame(row.text ?? ""),
    });
  }

  private ofMember(row: Row, member: number): void {
    const lane = this.lanes[member]!;
    const at = row.at_us;
    if (row.event === "up" || row.event === "down") {
      this.up[member] = row.event === "up";
      const since = this.wentDown[member];
      if (row.event === "up" && since !== undefined && at > since) {
        lane.down.push({ from: since, to: at });
      }
      this.wentDown[member] = row.event === "down" ? at : undefined;
      lane.rows.map((one) => this.copy(one.task, member)).forEach((copy) => {
        this.lagRests(copy, at);
        this.show(copy, at);
      });
    }
    const mark = this.marked[member];
    if (row.event === "mark") {
      this.marked[member] = mark ?? at;
    } else if (mark !== undefined && ["unmark", "down", "gone"].includes(row.event)) {
      lane.marked.push({ from: mark, to: at });
      this.marked[member] = undefined;
    }
  }

  private copy(task: number, member: number): Copy {
    const key = task * (this.members.size + 1) + member;
    let copy = this.copies.get(key);
    if (!copy) {
      const row: CopyRow = { task, member, bars: [], gaps: [], ready: [], lag: [] };
      copy = { row, role: "none", runs: false, since: 0, shown: undefined, lag: 0, lags: false };
      this.copies.set(key, copy);
      this.lanes[member]!.rows.push(row);
    }
    return copy;
  }

  private ofCopy(row: Row, task: number, member: number): void {
    const copy = this.copy(task, member);
    const at = row.at_us;
    if (row.event === "role") {
      copy.role = row.role ?? "none";
      this.lagIs(copy, at, copy.lag);
      this.lagBegins(copy, at, row.lag_bytes ?? 0);
    } else if (row.event === "restored") {
      this.lanes[member]!.restored += row.bytes ?? 0;
      this.lagIs(copy, at, Math.max(0, copy.lag - (row.bytes ?? 0)));
    } else if (row.event === "ready") {
      copy.row.ready.push(at);
      this.lagIs(copy, at, row.lag_bytes ?? 0);
    } else if (row.event === "lag") {
      this.lagIsTold(copy, at, row.lag_bytes ?? 0);
    } else if (row.event === "whole") {
      this.lagIs(copy, at, 0);
      copy.lag = 0;
      copy.lags = false;
    } else if (row.event === "run") {
      this.runs(copy, at);
    } else if (row.event === "stop") {
      this.stops(copy, at);
    }
    this.show(copy, at);
  }

  /** A copy that keeps itself up has a curve while it is behind and its process is there. */
  private lagBegins(copy: Copy, at: number, lag: number): void {
    copy.lags = lag > 0 && this.up[copy.row.member] === true && ["active", "learner", "standby"].includes(copy.role);
    copy.lag = lag;
    if (copy.lags) {
      copy.row.lag.push({ at, value: NaN }, { at, value: lag });
    }
  }

  /** A copy whose lag nobody knew when its role began has a curve from the first word on. */
  private lagIsTold(copy: Copy, at: number, lag: number): void {
    if (copy.lags) {
      this.lagIs(copy, at, lag);
    } else {
      this.lagBegins(copy, at, lag);
    }
  }

  /** Its process comes or goes: nobody replays meanwhile, and a role that it still has goes on where it stood. */
  private lagRests(copy: Copy, at: number): void {
    this.lagIs(copy, at, copy.lag);
    this.lagBegins(copy, at, copy.lag);
  }

  private lagIs(copy: Copy, at: number, lag: number): void {
    if (copy.lags) {
      copy.row.lag.push({ at, value: lag });
      copy.lag = lag;
    }
  }

  private runs(copy: Copy, at: number): void {
    const { task, member } = copy.row;
    this.endGap(task, at, member);
    copy.runs = true;
    this.owner[task] = member;
    this.last[task] = member;
    this.bear(member, 1, at);
  }

  private stops(copy: Copy, at: number): void {
    const { task, member } = copy.row;
    copy.runs = false;
    this.owner[task] = NOBODY;
    this.stopped[task] = at;
    this.bear(member, -1, at);
  }

  private bear(member: number, more: number, at: number): void {
    const points = this.lanes[member]!.load;
    const value = (this.load[member]! += more);
    const last = points[points.length - 1]!;
    if (last.at === at) {
      last.value = value;
    } else {
      points.push({ at, value });
    }
  }

  private endGap(task: number, at: number, after: number): void {
    const from = this.stopped[task]!;
    const before = this.last[task]!;
    if (this.owner[task] !== NOBODY || at <= from) {
      return;
    }
    const gap: Gap = { task, from, to: at, before, after, ends: after !== NOBODY };
    const member = before !== NOBODY ? before : after !== NOBODY ? after : this.nobody();
    this.gaps.push(gap);
    this.copy(task, member).row.gaps.push(gap);
  }

  /** The lane of tasks that no member ever had. */
  private nobody(): number {
    if (this.lanes.length === this.members.size) {
      this.lanes.push({ member: this.lanes.length, rows: [], load: [], down: [], marked: [], restored: 0 });
    }
    return this.lanes.length - 1;
  }

  /** Ends the bar that was shown where it is another one from now on. */
  private show(copy: Copy, at: number): void {
    const kind = this.kindOf(copy);
    if (kind === copy.shown) {
      return;
    }
    if (copy.shown && at > copy.since) {
      copy.row.bars.push({ kind: copy.shown, from: copy.since, to: at });
    }
    copy.shown = kind;
    copy.since = at;
    /** What something else stood in for, and no time passed, goes on. */
    const last = copy.row.bars[copy.row.bars.length - 1];
    if (last && last.kind === kind && last.to === at) {
      copy.row.bars.pop();
      copy.since = last.from;
    }
  }

  private kindOf(copy: Copy): Kind | undefined {
    if (!this.up[copy.row.member]) {
      return undefined;
    }
    if (copy.role === "active" || copy.runs) {
      return copy.runs ? "active" : "opening";
    }
    return copy.role === "learner" || copy.role === "standby" ? copy.role : undefined;
  }

  /** What is open at the end lasts until the end. */
  private close(): void {
    const end = this.recording.endUs;
    for (const copy of this.copies.values()) {
      if (copy.shown && end > copy.since) {
        copy.row.bars.push({ kind: copy.shown, from: copy.since, to: end });
      }
      this.lagIs(copy, end, copy.lag);
    }
    this.recording.head.tasks.forEach((_, task) => this.endGap(task, end, NOBODY));
    this.lanes.forEach((lane, member) => {
      const mark = this.marked[member];
      const since = this.wentDown[member];
      if (mark !== undefined) {
        lane.marked.push({ from: mark, to: end });
      }
      if (since !== undefined && end > since && member < this.members.size) {
        lane.down.push({ from: since, to: end });
      }
    });
  }
}

export function build(recording: Recording): Run {
  return new Builder(recording).build();
}
