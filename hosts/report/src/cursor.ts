// SPDX-License-Identifier: Apache-2.0
/** The point of the timeline that is looked at, by mouse and by keys; what is there is shown, and said to readers. */

import type uPlot from "uplot";
import { byId, el } from "./dom";
import type { View } from "./chart";
import type { Lanes } from "./lanes";
import type { Place } from "./layout";
import type { Run } from "./model";
import { rebalanceWords, words } from "./words";

export class Cursor {
  private place = -1;
  private at = 0;
  private readonly box = el("div", undefined, "mark");
  private readonly line = el("div", undefined, "mark-line");
  private readonly tip = byId("tip");
  private readonly stops = new Map<number, number[]>();

  constructor(private readonly run: Run, private readonly lanes: Lanes, private readonly view: View, private readonly onPlace: (place: Place | undefined) => void) {
    const { over } = lanes.u;
    over.append(this.line, this.box);
    this.box.hidden = true;
    this.line.hidden = true;
    over.addEventListener("mouseleave", () => (this.tip.hidden = true));
    over.addEventListener("click", () => this.pin());
    over.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  /** What is chosen, for tests and for those who come back. */
  get chosen(): { task: string; member: string; at: number } | undefined {
    const place = this.lanes.layout.places[this.place];
    return place && { task: place.row ? (this.run.tasks[place.row.task] ?? "") : "", member: this.run.members[place.lane.member] ?? "", at: this.at };
  }

  // ---- by mouse ----

  private pointed(u: uPlot): { place: number; at: number } | undefined {
    const { left, top } = u.cursor;
    if (left === undefined || top === undefined || left < 0 || top < 0) {
      return undefined;
    }
    const place = this.lanes.placeAt(top);
    const at = u.posToVal(left, "x") * 1e6;
    return { place, at: place < 0 ? at : this.snap(place, at, u) };
  }

  /** What a pointer is from what it means, at the most: three pixels, in microseconds. */
  private near(u: uPlot): number {
    return (3 * (u.scales["x"]!.max! - u.scales["x"]!.min!) * 1e6) / Math.max(u.over.clientWidth, 1);
  }

  /** A gap is short, and is meant by whoever points near it. */
  private snap(place: number, at: number, u: uPlot): number {
    const near = this.near(u);
    const gaps = this.lanes.layout.places[place]?.row?.gaps ?? [];
    const gap = gaps.find((one) => at >= one.from - near && at <= one.to + near);
    return gap ? Math.min(Math.max(at, gap.from), gap.to - 1) : at;
  }

  hover(u: uPlot): void {
    const pointed = this.pointed(u);
    const said = pointed ? this.paragraphs(pointed.place, pointed.at, this.near(u)) : [];
    this.tip.hidden = said.length === 0;
    if (this.tip.hidden) {
      return;
    }
    this.tip.replaceChildren(...said);
    const frame = byId("lanes-frame");
    const left = (u.cursor.left ?? 0) + u.over.offsetLeft + 16;
    const top = (u.cursor.top ?? 0) + u.over.offsetTop + 16;
    const flips = left + this.tip.offsetWidth > frame.clientWidth;
    this.tip.style.left = `${flips ? Math.max(0, left - this.tip.offsetWidth - 32) : left}px`;
    this.tip.style.top = `${top}px`;
  }

  private pin(): void {
    const pointed = this.pointed(this.lanes.u);
    if (pointed && pointed.place >= 0) {
      this.choose(pointed.place, pointed.at);
    }
  }

  private wheel(event: WheelEvent): void {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      const around = this.lanes.u.posToVal(event.offsetX, "x");
      this.view.zoom(event.deltaY > 0 ? 1.25 : 0.8, around);
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      const [min, max] = this.view.range;
      const by = ((max - min) * (event.deltaX || event.deltaY)) / Math.max(this.lanes.u.over.clientWidth, 1);
      this.view.show(min + by, max + by);
    } else if (this.lanes.scrollBy(event.deltaY / this.lanes.rowHeight)) {
      event.preventDefault();
      this.draw();
    }
  }

  // ---- by keys ----

  key(event: KeyboardEvent): void {
    if (this.lanes.layout.places.length === 0 || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const moves: Record<string, () => void> = {
      ArrowRight: () => this.step(1),
      ArrowLeft: () => this.step(-1),
      ArrowDown: () => this.choose(this.place + 1, this.at),
      ArrowUp: () => this.choose(this.place - 1, this.at),
      PageDown: () => this.lane(1),
      PageUp: () => this.lane(-1),
      Home: () => this.choose(this.place, 0),
      End: () => this.choose(this.place, this.run.end),
      g: () => this.gap(1),
      G: () => this.gap(-1),
      r: () => this.rebalance(1),
      R: () => this.rebalance(-1),
      "+": () => this.view.zoom(0.5, this.at / 1e6),
      "=": () => this.view.zoom(0.5, this.at / 1e6),
      "-": () => this.view.zoom(2, this.at / 1e6),
      "]": () => this.lanes.resize(1.5),
      "[": () => this.lanes.resize(1 / 1.5),
      "0": () => this.view.show(0, this.view.end),
      Escape: () => this.clear(),
    };
    const move = moves[event.key];
    if (move) {
      event.preventDefault();
      move();
      this.draw();
    }
  }

  private step(by: 1 | -1): void {
    const place = Math.max(0, this.place);
    const stops = this.stopsOf(place);
    const next = by > 0 ? stops.find((at) => at > this.at) : [...stops].reverse().find((at) => at < this.at);
    this.choose(place, next ?? (by > 0 ? this.run.end : 0));
  }

  /** Where something changes in a row. */
  private stopsOf(place: number): number[] {
    let found = this.stops.get(place);
    if (!found) {
      const row = this.lanes.layout.places[place]?.row;
      const all = [0, this.run.end, ...(row?.bars ?? []).flatMap((bar) => [bar.from, bar.to]), ...(row?.ready ?? []),
        ...(row?.gaps ?? []).flatMap((gap) => [gap.from, gap.to])];
      found = [...new Set(all)].sort((a, b) => a - b);
      this.stops.set(place, found);
    }
    return found;
  }

  private lane(by: 1 | -1): void {
    const { places } = this.lanes.layout;
    const now = places[Math.max(0, this.place)]!.lane;
    let next = this.place + by;
    while (places[next] && places[next]!.lane === now) {
      next += by;
    }
    const lane = places[next]?.lane;
    while (by < 0 && lane && places[next - 1]?.lane === lane) {
      next -= 1;
    }
    this.choose(next, this.at);
  }

  private gap(by: 1 | -1): void {
    const gaps = [...this.run.gaps].sort((a, b) => a.from - b.from || a.task - b.task);
    const own = this.lanes.layout.places[this.place]?.row?.task ?? -1;
    const key = (one: { from: number; task: number }): number => one.from * (this.run.tasks.length + 1) + one.task;
    const here = this.place < 0 ? -Infinity : key({ from: this.at, task: own });
    const next = by > 0 ? gaps.find((one) => key(one) > here) : gaps.reverse().find((one) => key(one) < here);
    if (next) {
      this.goTo(next.task, next.before >= 0 ? next.before : next.after, next.from);
    }
  }

  private rebalance(by: 1 | -1): void {
    const times = this.run.rebalances.map((one) => one.at);
    const first = this.place < 0;
    const next = by > 0 ? times.find((at) => (first ? at >= 0 : at > this.at)) : times.reverse().find((at) => at < this.at);
    if (next !== undefined) {
      this.choose(Math.max(0, this.place), next);
    }
  }

  // ---- what is chosen ----

  goTo(task: number, member: number, at: number): void {
    const lane = member < 0 ? this.run.lanes.length - 1 : member;
    const found = this.lanes.layout.find(task, lane);
    this.choose(found < 0 ? Math.max(0, this.place) : found, at);
  }

  choose(place: number, at: number): void {
    const { places } = this.lanes.layout;
    if (places.length === 0) {
      return;
    }
    this.place = Math.min(Math.max(place, 0), places.length - 1);
    this.at = Math.min(Math.max(at, 0), this.run.end);
    this.lanes.reveal(this.place);
    this.view.reveal(this.at / 1e6);
    byId("said").replaceChildren(...this.paragraphs(this.place, this.at, 0));
    this.onPlace(places[this.place]);
    this.draw();
  }

  private clear(): void {
    this.place = -1;
    this.tip.hidden = true;
    byId("said").replaceChildren(el("p", "Nothing is chosen.", "hint"));
    this.onPlace(undefined);
  }

  /** Puts the marks where the chosen point is in the view of now. */
  draw(): void {
    const place = this.lanes.layout.places[this.place];
    this.box.hidden = !place;
    this.line.hidden = !place;
    if (!place) {
      return;
    }
    const { u } = this.lanes;
    const bar = place.row?.gaps.find((one) => one.from <= this.at && this.at < one.to)
      ?? place.row?.bars.find((one) => one.from <= this.at && this.at < one.to) ?? place.row?.bars.find((one) => one.to === this.at);
    const wide = u.over.clientWidth;
    const left = Math.max(0, u.valToPos((bar?.from ?? this.at) / 1e6, "x"));
    const right = Math.min(wide, u.valToPos((bar?.to ?? this.at) / 1e6, "x"));
    const top = this.lanes.yOf(place);
    Object.assign(this.box.style, { left: `${left - 2}px`, width: `${Math.max(right - left, 2) + 4}px`, top: `${top - 2}px`, height: `${this.lanes.rowHeight + 4}px` });
    this.box.hidden = right < left || top < -this.lanes.rowHeight || top > u.over.clientHeight;
    this.line.style.left = `${u.valToPos(this.at / 1e6, "x")}px`;
    this.line.hidden = this.at / 1e6 < this.view.range[0] || this.at / 1e6 > this.view.range[1];
  }

  /** @param near how far a rebalance may be to be told as well */
  private paragraphs(place: number, at: number, near: number): HTMLElement[] {
    const lines = rebalanceWords(this.run, at, near).map((text) => el("p", text, "why rebalance-words"));
    const there = this.lanes.layout.places[place];
    if (!there) {
      return lines;
    }
    const said = words(this.run, there, at);
    const first = el("p", undefined, "what");
    first.append(el("span", `${said.what}: `), el("span", said.state, said.bad ? "bad-word" : ""));
    return [first, ...lines, ...said.why.map((text, i) => {
      const line = el("p", undefined, "why");
      line.append(el(i === 0 ? "span" : "em", text));
      return line;
    })];
  }
}
