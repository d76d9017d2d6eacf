// SPDX-License-Identifier: Apache-2.0
/** The timeline: a lane for each member, a row for each copy in it, bars for what the copy is, gaps over everything. */

import type uPlot from "uplot";
import { chart, GUTTER, ratio, type View } from "./chart";
import type { Band, Layout, Place } from "./layout";
import type { Bar, Kind, Run } from "./model";
import { stripes } from "./theme";

const TALLEST = 22;
const LOWEST = 2;
const USUAL = 17;
const WINDOW = 540;
const AXIS = 40;
const LABELS_FROM = 12;
/** Rebalances beyond which their lines go behind the bars. */
const MANY = 120;
const LEAST_GAP = 3;

export class Lanes {
  u!: uPlot;
  rowHeight: number;
  private top = 0;
  private window = WINDOW;
  private readonly scroller = document.getElementById("scroll") as HTMLElement;

  constructor(private readonly into: HTMLElement, private readonly run: Run, readonly layout: Layout,
    private readonly view: View, onCursor: (u: uPlot) => void) {
    this.rowHeight = Math.min(USUAL, Math.max(LOWEST, WINDOW / layout.total));
    this.u = chart(into, view, {
      width: 300,
      height: 200,
      // The first row is on top.
      y: { range: () => [this.top, this.top + this.visible()], dir: -1 },
      yAxis: { size: GUTTER, grid: { show: false }, ticks: { show: false }, gap: 8,
        splits: () => this.labelled().map((band) => this.middle(band)),
        values: () => this.labelled().map((band) => short(run.members[band.lane.member] ?? "", GUTTER)) },
      cursorY: true,
      draw: (u) => this.draw(u),
      onCursor,
    });
    this.scroller.addEventListener("scroll", () => this.scrollTo(this.scroller.scrollTop / this.rowHeight));
  }

  /** Rows that fit. */
  visible(): number {
    return Math.min(this.window / this.rowHeight, this.layout.total);
  }

  fit(width: number, window: number = WINDOW): void {
    this.window = window;
    const plot = Math.min(this.window, Math.ceil(this.layout.total * this.rowHeight));
    this.scroller.hidden = this.layout.total * this.rowHeight <= this.window + 1;
    this.scroller.style.height = `${plot + 6}px`;
    (this.scroller.firstElementChild as HTMLElement).style.height = `${this.layout.total * this.rowHeight}px`;
    this.u.setSize({ width: width - (this.scroller.hidden ? 0 : 14), height: plot + AXIS });
    this.scrollTo(this.top);
  }

  scrollTo(top: number): void {
    this.top = Math.max(0, Math.min(top, this.layout.total - this.visible()));
    this.u.setScale("y", { min: this.top, max: this.top + this.visible() });
    const wanted = this.top * this.rowHeight;
    if (Math.abs(this.scroller.scrollTop - wanted) > 1) {
      this.scroller.scrollTop = wanted;
    }
  }

  scrollBy(rows: number): boolean {
    const before = this.top;
    this.scrollTo(this.top + rows);
    return this.top !== before;
  }

  resize(factor: number): void {
    const middle = this.top + this.visible() / 2;
    this.rowHeight = Math.min(TALLEST, Math.max(LOWEST, this.rowHeight * factor));
    this.top = middle - this.visible() / 2;
    this.fit(this.into.clientWidth + (this.scroller.hidden ? 0 : 14), this.window);
  }

  /** So high that everything is in view, if it can be. */
  fitRows(window: number = this.window): void {
    this.rowHeight = Math.min(USUAL, Math.max(LOWEST, window / this.layout.total));
    this.top = 0;
  }

  /** Brings height and place of the rows back to what they are now, for the fit() behind it. */
  keep(): () => void {
    const { rowHeight, top } = this;
    return () => {
      this.rowHeight = rowHeight;
      this.top = top;
    };
  }

  reveal(place: number): void {
    const y = this.layout.places[place]!.y;
    if (y < this.top) {
      this.scrollTo(y - 0.5);
    } else if (y + 1 > this.top + this.visible()) {
      this.scrollTo(y + 1.5 - this.visible());
    }
  }

  /** The place under a point of the plot in CSS pixels. */
  placeAt(top: number): number {
    return this.layout.at(this.top + top / this.rowHeight);
  }

  yOf(place: Place): number {
    return (place.y - this.top) * this.rowHeight;
  }

  private middle(band: Band): number {
    return (Math.max(band.y, this.top) + Math.min(band.y + band.rows, this.top + this.visible())) / 2;
  }

  /** The lanes in view whose names do not touch. */
  private labelled(): Band[] {
    const found: Band[] = [];
    let last = -Infinity;
    for (const band of this.inView()) {
      const y = this.middle(band) * this.rowHeight;
      if (y - last >= 14) {
        found.push(band);
        last = y;
      }
    }
    return found;
  }

  private inView(): Band[] {
    return this.layout.bands.filter((band) => band.y + band.rows > this.top && band.y < this.top + this.visible());
  }

  // ---- painting, in pixels of the canvas ----

  private draw(u: uPlot): void {
    const { min, max } = u.scales["x"] as { min: number; max: number };
    const paint: Paint = {
      ctx: u.ctx,
      ratio: ratio(u),
      left: u.bbox.left,
      right: u.bbox.left + u.bbox.width,
      scale: u.bbox.width / ((max - min) * 1e6),
      from: min * 1e6,
      to: max * 1e6,
      y: (row) => u.bbox.top + (row - this.top) * this.rowHeight * ratio(u),
    };
    this.drawLanes(paint);
    const first = Math.max(0, this.layout.firstFrom(this.top) - 1);
    const last = this.layout.firstFrom(this.top + this.visible());
    const places = this.layout.places.slice(first, last);
    const many = this.run.rebalances.length > MANY;
    if (many) {
      this.drawRebalances(paint);
    }
    (["standby", "opening", "learner", "active"] as Kind[]).forEach((kind) => this.drawBars(paint, places, kind));
    if (this.rowHeight >= LABELS_FROM) {
      this.drawNames(paint, places);
    }
    if (!many) {
      this.drawRebalances(paint);
    }
    this.drawGaps(paint, places);
    this.drawMarks(paint);
  }

  private drawLanes(paint: Paint): void {
    const { ctx } = paint;
    for (const band of this.inView()) {
      const y = paint.y(band.y - 0.2);
      const height = (band.rows + 0.4) * this.rowHeight * paint.ratio;
      ctx.fillStyle = this.view.colours.band;
      ctx.fillRect(paint.left, y, paint.right - paint.left, height);
      ctx.fillStyle = this.view.colours.away;
      band.lane.down.forEach((one) => box(paint, one.from, one.to, y, height, 0));
    }
  }

  private drawBars(paint: Paint, places: Place[], kind: Kind): void {
    const { ctx } = paint;
    const high = this.rowHeight * paint.ratio;
    const pad = this.rowHeight >= 5 ? paint.ratio : this.rowHeight >= 3 ? paint.ratio / 2 : 0;
    const fill = this.view.colours.bars[kind];
    ctx.fillStyle = kind === "learner" && this.rowHeight >= 4 ? stripes(fill, this.view.colours.surface, paint.ratio) : fill;
    for (const place of places) {
      for (const bar of place.row?.bars ?? []) {
        if (bar.kind === kind && bar.to >= paint.from && bar.from <= paint.to) {
          box(paint, bar.from, bar.to, paint.y(place.y) + pad, high - 2 * pad, kind === "learner" ? 1 : 0);
        }
      }
    }
  }

  private drawGaps(paint: Paint, places: Place[]): void {
    const high = this.rowHeight * paint.ratio;
    paint.ctx.fillStyle = this.view.colours.gap;
    for (const place of places) {
      for (const gap of place.row?.gaps ?? []) {
        if (gap.to >= paint.from && gap.from <= paint.to) {
          box(paint, gap.from, gap.to, paint.y(place.y), high, LEAST_GAP);
        }
      }
    }
  }

  /** One line for each pixel at the most; many of them are a haze and not a wall. */
  private drawRebalances(paint: Paint): void {
    const { ctx } = paint;
    const shown = new Set<number>();
    for (const one of this.run.rebalances) {
      if (one.at >= paint.from && one.at <= paint.to) {
        shown.add(Math.round(paint.left + (one.at - paint.from) * paint.scale));
      }
    }
    ctx.save();
    ctx.globalAlpha = shown.size > MANY ? 0.3 : 0.55;
    ctx.fillStyle = this.view.colours.ink;
    const wide = Math.max(1, Math.round(paint.ratio));
    shown.forEach((x) => ctx.fillRect(x, paint.y(this.top), wide, this.visible() * this.rowHeight * paint.ratio));
    ctx.restore();
  }

  private drawMarks(paint: Paint): void {
    paint.ctx.fillStyle = this.view.colours.leaving;
    for (const band of this.inView()) {
      band.lane.marked.forEach((one) => box(paint, one.from, one.to, paint.y(band.y) - 3 * paint.ratio, 3 * paint.ratio, 2));
    }
  }

  private drawNames(paint: Paint, places: Place[]): void {
    const { ctx } = paint;
    ctx.font = `${Math.round(Math.min(11, this.rowHeight - 4) * paint.ratio)}px system-ui, "DejaVu Sans", sans-serif`;
    ctx.textBaseline = "middle";
    ctx.textAlign = "left";
    for (const place of places) {
      const name = place.row ? (this.run.tasks[place.row.task] ?? "") : "";
      const wide = ctx.measureText(name).width;
      for (const bar of place.row?.bars ?? []) {
        this.drawName(paint, place, bar, name, wide);
      }
    }
  }

  private drawName(paint: Paint, place: Place, bar: Bar, name: string, wide: number): void {
    const left = Math.max(paint.left, paint.left + (bar.from - paint.from) * paint.scale);
    const right = Math.min(paint.right, paint.left + (bar.to - paint.from) * paint.scale);
    if (right - left < wide + 10 * paint.ratio) {
      return;
    }
    if (bar.kind === "learner") {
      paint.ctx.fillStyle = this.view.colours.bars.learner;
      paint.ctx.fillRect(left + 2 * paint.ratio, paint.y(place.y) + 2 * paint.ratio, wide + 6 * paint.ratio, (this.rowHeight - 4) * paint.ratio);
    }
    paint.ctx.fillStyle = this.view.colours.inks[bar.kind];
    paint.ctx.fillText(name, left + 5 * paint.ratio, paint.y(place.y + 0.53));
  }
}

interface Paint {
  ctx: CanvasRenderingContext2D;
  ratio: number;
  left: number;
  right: number;
  /** Pixels for each microsecond. */
  scale: number;
  from: number;
  to: number;
  y(row: number): number;
}

/** @param least pixels of width; what is shorter is drawn around its middle */
function box(paint: Paint, from: number, to: number, y: number, height: number, least: number): void {
  const left = Math.max(paint.left + (from - paint.from) * paint.scale, paint.left - 4);
  const right = Math.min(paint.left + (to - paint.from) * paint.scale, paint.right + 4);
  const wide = Math.max(right - left, least * paint.ratio);
  paint.ctx.fillRect(left - (wide - (right - left)) / 2, y, wide, Math.max(height, 1));
}

/** A name that fits beside the lanes. */
export function short(name: string, width: number): string {
  const most = Math.floor((width - 14) / 6.6);
  const signs = [...name];
  return signs.length <= most ? name : `${signs.slice(0, Math.ceil(most / 2) - 1).join("")}…${signs.slice(-Math.floor(most / 2)).join("")}`;
}
