// SPDX-License-Identifier: Apache-2.0
/**
 * What a run was like, in the figures of `segue simulate`, computed from its events. hosts/SCENARIO.md says what each
 * means; hosts/cli/simulate/recompute.py computes them again, and the tests hold one against the other.
 */

import type { Recording, Row } from "./events";

export interface FigureRow {
  name: string;
  unit: string;
  meaning: string;
}

export const FIGURES: FigureRow[] = [
  { name: "rebalances", unit: "", meaning: "assignments that were made" },
  { name: "moves", unit: "", meaning: "tasks that went from an owner who was there to another" },
  { name: "least_moves", unit: "", meaning: "the fewest that balance takes, as the plans prove it" },
  { name: "failovers", unit: "", meaning: "tasks that went on elsewhere since their owner was gone" },
  { name: "copies_built", unit: "", meaning: "copies that began with nothing" },
  { name: "learners", unit: "", meaning: "copies that began to learn" },
  { name: "learners_abandoned", unit: "", meaning: "of these, given up before they owned the task" },
  { name: "bytes_restored", unit: "B", meaning: "replayed from changelogs" },
  { name: "bytes_wasted", unit: "B", meaning: "of these, for copies given up or lost before they owned the task" },
  { name: "down_s", unit: "s", meaning: "time without an owner that processes, over all tasks" },
  { name: "tasks_down", unit: "", meaning: "tasks that nobody processes in the end" },
  { name: "longest_gap_s", unit: "s", meaning: "longest such time of one task" },
  { name: "without_standby_s", unit: "s", meaning: "time with fewer caught-up copies than wanted" },
  { name: "balance_s", unit: "s", meaning: "longest from an episode's beginning to its last move; not reached: the end came first" },
  { name: "balance_bound_s", unit: "s", meaning: "what that episode's replays take at full bandwidth" },
  { name: "extra_disk_bytes", unit: "B", meaning: "most that was stored beyond one copy for owner and standbys" },
  { name: "estimate_error", unit: "", meaning: "median error of the time until a learner is ready, as part of it" },
  { name: "fallbacks", unit: "", meaning: "plans that the fallback had to make" },
];

/** null: not reached, as `balance_s` where the run ends and moves are still to come, or tasks are down. */
export type Figures = Record<string, number | null>;

/** What is longer than any time. */
export const NOT_REACHED = Infinity;

export function valueOf(figures: Figures, name: string): number {
  const value = figures[name];
  return value === null ? NOT_REACHED : (value ?? 0);
}

interface Copy {
  member: string;
  role: string;
  whole: boolean;
  restored: number;
  lately: number;
  latelyOf: number;
  estimate: number | undefined;
  learns: number;
}

interface Task {
  copies: Map<string, Copy>;
  bytes: number;
  stateful: boolean;
  stopped: number | undefined;
  lacking: number | undefined;
  runner: string | undefined;
  givenUp: boolean;
}

interface Member {
  rate: number;
  best: number;
  used: number;
  replays: number;
  up: boolean;
  marked: boolean;
}

const KEEPS_UP = ["active", "learner", "standby"];

class Measure {
  readonly figures: Figures = Object.fromEntries(FIGURES.map((row) => [row.name, 0]));
  private readonly tasks = new Map<string, Task>();
  private readonly members = new Map<string, Member>();
  private beginners: { task: Task; copy: Copy; lag: number }[] = [];
  private readonly errors: number[] = [];
  private readonly usual: number;
  private stored = 0;
  private now = 0;
  private upCount = 0;
  private unsettled = false;
  private episode = { began: 0, moved: 0, moves: 0, least: 0, awaits: false };

  constructor(private readonly recording: Recording) {
    const { tasks, members, standbys } = recording.head;
    for (const { id, stateful, state_bytes } of tasks) {
      this.tasks.set(id, {
        copies: new Map(),
        bytes: stateful ? state_bytes : 0,
        stateful,
        stopped: 0,
        lacking: undefined,
        runner: undefined,
        givenUp: false,
      });
    }
    for (const { id } of members) {
      this.members.set(id, { rate: 0, best: 0, used: 0, replays: 0, up: false, marked: false });
    }
    this.usual = [...this.tasks.values()].reduce((sum, task) => sum + task.bytes, 0) * (1 + standbys);
  }

  run(): Figures {
    for (const row of this.recording.rows) {
      if (row.at_us !== this.now) {
        this.estimate();
        this.now = row.at_us;
      }
      this.take(row);
    }
    this.tasks.forEach((task) => this.endTask(task));
    this.endEpisode();
    if (this.unsettled || valueOf(this.figures, "tasks_down") > 0) {
      this.figures["balance_s"] = null;
    }
    this.figures["estimate_error"] = median(this.errors);
    return this.figures;
  }

  private add(name: string, value: number): void {
    this.figures[name] = (this.figures[name] ?? 0) + value;
  }

  private most(name: string, value: number): void {
    this.figures[name] = Math.max(this.figures[name] ?? 0, value);
  }

  private take(row: Row): void {
    if (row.event === "rebalance") {
      this.rebalance(row);
      return;
    }
    const member = row.member === undefined ? undefined : this.members.get(row.member);
    const task = row.task === undefined ? undefined : this.tasks.get(row.task);
    if (member && task) {
      this.ofCopy(row, task, member, row.member as string);
    } else if (member) {
      this.ofMember(row, member, row.member as string);
    }
  }

  private rebalance(row: Row): void {
    this.add("rebalances", 1);
    this.unsettled = (row.moves ?? 0) < (row.min_moves ?? 0);
    this.add("fallbacks", row.fallback ? 1 : 0);
    if (this.episode.awaits) {
      this.episode.awaits = false;
      this.episode.least = row.min_moves ?? 0;
      this.add("least_moves", this.episode.least);
    }
  }

  private ofMember(row: Row, member: Member, name: string): void {
    if (row.event === "disk") {
      member.rate = row.bytes_per_s ?? 0;
      member.best = Math.max(member.best, member.rate);
    } else if (row.event === "up") {
      member.up = true;
      this.upCount++;
      member.marked = false;
      this.beginEpisode();
      this.countAllStandbys();
    } else if (row.event === "down") {
      this.down(member, name);
    } else if (row.event === "join") {
      this.unsettled = true;
    } else if (row.event === "mark" || row.event === "unmark") {
      member.marked = row.event === "mark";
      this.unsettled = true;
      this.beginEpisode();
    }
  }

  private down(member: Member, name: string): void {
    if (!member.marked) {
      this.beginEpisode();
    }
    member.up = false;
    this.upCount--;
    for (const task of this.tasks.values()) {
      const copy = task.copies.get(name);
      if (copy) {
        this.change(copy, member, { whole: false });
      }
    }
    this.countAllStandbys();
  }

  private ofCopy(row: Row, task: Task, member: Member, name: string): void {
    const copy = this.copy(task, name);
    if (row.event === "role") {
      this.role(row, task, member, copy);
    } else if (row.event === "whole") {
      this.change(copy, member, { whole: true });
      this.countStandbys(task);
    } else if (row.event === "restored") {
      this.restored(copy, row.bytes ?? 0);
    } else if (row.event === "ready") {
      this.ready(copy);
    } else if (row.event === "run") {
      this.goOn(task, copy, member);
    } else if (row.event === "stop") {
      task.stopped = this.now;
      task.givenUp = member.up;
    }
  }

  // ---- copies ----

  private copy(task: Task, member: string): Copy {
    let copy = task.copies.get(member);
    if (!copy) {
      copy = { member, role: "none", whole: false, restored: 0, lately: 0, latelyOf: 0, estimate: undefined, learns: 0 };
      task.copies.set(member, copy);
      this.stored += task.bytes;
      this.most("extra_disk_bytes", this.stored - this.usual);
    }
    return copy;
  }

  /** A member's replays share its bandwidth, so they are counted as they begin and end. */
  private change(copy: Copy, member: Member, to: Partial<Pick<Copy, "role" | "whole">>): void {
    const replays = (): number => (!copy.whole && KEEPS_UP.includes(copy.role) ? 1 : 0);
    member.replays -= replays();
    Object.assign(copy, to);
    member.replays += replays();
  }

  private role(row: Row, task: Task, member: Member, copy: Copy): void {
    const was = copy.role;
    const role = row.role ?? "none";
    const lag = row.lag_bytes ?? 0;
    this.add("copies_built", was === "none" && role !== "dormant" && role !== "none" && lag >= task.bytes && task.bytes > 0 ? 1 : 0);
    this.add("learners_abandoned", was === "learner" && role !== "active" ? 1 : 0);
    this.change(copy, member, { role, whole: false });
    if (role === "learner") {
      this.add("learners", 1);
      copy.learns = this.now;
      copy.estimate = undefined;
      this.beginners.push({ task, copy, lag });
    }
    if (role === "dormant" || role === "none") {
      this.add("bytes_wasted", copy.restored);
      copy.restored = 0;
      copy.lately = 0;
    }
    if (role === "none") {
      task.copies.delete(copy.member);
      this.stored -= task.bytes;
    }
    this.countStandbys(task);
  }

  private lately(copy: Copy): number {
    return copy.latelyOf === this.episode.began ? copy.lately : 0;
  }

  private restored(copy: Copy, bytes: number): void {
    this.add("bytes_restored", bytes);
    copy.restored += bytes;
    copy.lately = this.lately(copy) + bytes;
    copy.latelyOf = this.episode.began;
  }

  /** Everything of a rebalance has been told: what anybody would say then of how long a learner takes. */
  private estimate(): void {
    for (const { copy, lag } of this.beginners) {
      const member = this.members.get(copy.member)!;
      if (copy.role === "learner" && member.rate > 0) {
        const left = Math.max(lag - this.recording.head.acceptable_bytes, 0);
        copy.estimate = (left * Math.max(member.replays, 1)) / member.rate;
      }
    }
    this.beginners = [];
  }

  private ready(copy: Copy): void {
    const took = (this.now - copy.learns) / 1e6;
    if (copy.estimate !== undefined && took > 0) {
      this.errors.push(Math.abs(copy.estimate - took) / took);
    }
  }

  private countStandbys(task: Task): void {
    const others = Math.max(this.upCount - 1, 0);
    const wanted = task.stateful ? Math.min(this.recording.head.standbys, others) : 0;
    const there = [...task.copies.values()].filter((copy) => copy.whole && copy.role !== "active").length;
    if (there < wanted && task.lacking === undefined) {
      task.lacking = this.now;
    } else if (there >= wanted && task.lacking !== undefined) {
      this.add("without_standby_s", (this.now - task.lacking) / 1e6);
      task.lacking = undefined;
    }
  }

  private countAllStandbys(): void {
    if (this.recording.head.standbys > 0) {
      this.tasks.forEach((task) => this.countStandbys(task));
    }
  }

  // ---- tasks ----

  private goOn(task: Task, copy: Copy, member: Member): void {
    if (task.stopped !== undefined) {
      this.gap(task.stopped);
    }
    const elsewhere = task.runner !== undefined && task.runner !== copy.member;
    if (elsewhere) {
      this.add(task.givenUp ? "moves" : "failovers", 1);
      this.episode.moves += task.givenUp ? 1 : 0;
      this.episode.moved = this.now;
      member.used += this.lately(copy);
    }
    copy.restored = 0;
    copy.lately = 0;
    task.stopped = undefined;
    task.runner = copy.member;
  }

  private gap(from: number): void {
    const length = (this.now - from) / 1e6;
    this.add("down_s", length);
    this.most("longest_gap_s", length);
  }

  private endTask(task: Task): void {
    if (task.stopped !== undefined) {
      this.add("tasks_down", 1);
      this.gap(task.stopped);
    }
    if (task.lacking !== undefined) {
      this.add("without_standby_s", (this.now - task.lacking) / 1e6);
    }
  }

  // ---- episodes: what is done to members, and all that comes of it ----

  private beginEpisode(): void {
    if (this.episode.began === this.now) {
      return;
    }
    const pending = Math.max(this.episode.least - this.episode.moves, 0);
    this.endEpisode();
    this.episode = { began: this.now, moved: this.now, moves: 0, least: 0, awaits: true };
    this.add("least_moves", -pending);
  }

  private endEpisode(): void {
    let bound = 0;
    for (const member of this.members.values()) {
      bound = Math.max(bound, member.best > 0 ? member.used / member.best : 0);
      member.used = 0;
      member.best = member.rate;
    }
    const took = (this.episode.moved - this.episode.began) / 1e6;
    if (took > (this.figures["balance_s"] ?? 0)) {
      this.figures["balance_s"] = took;
      this.figures["balance_bound_s"] = bound;
    }
  }
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length === 0 ? 0 : ((sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

export function measure(recording: Recording): Figures {
  return new Measure(recording).run();
}
