// SPDX-License-Identifier: Apache-2.0
/** What the page's charts share: one time axis, one look, a view that they move together. */

import uPlot from "uplot";
import { tick } from "./format";
import { palette, type Palette } from "./theme";

export const FONT = '12px system-ui, "Segoe UI", "DejaVu Sans", sans-serif';
/** Room for names and numbers at the left of every chart that stands in a column with others. */
export const GUTTER = 118;

export interface Shared {
  /** Seconds. */
  end: number;
  colours: Palette;
  onRange(min: number, max: number): void;
}

export function ratio(u: uPlot): number {
  return u.ctx.canvas.width / Math.max(u.width, 1);
}

/** A chart without series of its own: `draw` paints what is in view. */
export interface Spec {
  width: number;
  height: number;
  y: uPlot.Scale;
  yAxis: uPlot.Axis;
  cursorY: boolean;
  draw(u: uPlot): void;
  onCursor(u: uPlot): void;
}

/** Steps of a clock. */
const TIMES = [
  ...[-6, -5, -4, -3, -2, -1].flatMap((power) => [1, 2, 5].map((one) => one * 10 ** power)),
  ...[1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800],
  ...[1, 2, 3, 6, 12, 24, 48, 96, 168].map((hours) => hours * 3600),
];

export function chart(into: HTMLElement, shared: Shared, spec: Spec): uPlot {
  const axis = (): uPlot.Axis => ({
    stroke: () => shared.colours.muted,
    grid: { stroke: () => shared.colours.line, width: 1 },
    ticks: { stroke: () => shared.colours.line, width: 1, size: 5 },
    font: FONT,
  });
  const options: uPlot.Options = {
    width: spec.width,
    height: spec.height,
    padding: [6, 24, 0, 0],
    legend: { show: false },
    cursor: { y: spec.cursorY, points: { show: false }, drag: { x: true, y: false, dist: 4 } },
    scales: { x: { time: false, range: (_u, min, max) => [min ?? 0, max ?? shared.end] }, y: spec.y },
    axes: [{ ...axis(), size: 32, space: 70, values: (_u, splits, _i, _space, step) => splits.map((s) => tick(s, step)), incrs: TIMES },
      { ...axis(), ...spec.yAxis }],
    series: [{}, { show: true, paths: () => null, points: { show: false } }],
    hooks: {
      draw: [(u): void => clipped(u, () => spec.draw(u))],
      setScale: [(u, key): void => (key === "x" ? shared.onRange(u.scales["x"]!.min!, u.scales["x"]!.max!) : undefined)],
      setCursor: [(u): void => spec.onCursor(u)],
    },
  };
  return new uPlot(options, [[0, shared.end], [null, null]], into);
}

function clipped(u: uPlot, paint: () => void): void {
  const { left, top, width, height } = u.bbox;
  u.ctx.save();
  u.ctx.beginPath();
  u.ctx.rect(left, top, width, height);
  u.ctx.clip();
  paint();
  u.ctx.restore();
}

/** Moves every chart to the same stretch of time, once however many of them tell of it. */
export class View {
  readonly charts: uPlot[] = [];
  colours = palette();
  private moves = false;

  constructor(readonly end: number) {}

  readonly onRange = (min: number, max: number): void => {
    if (this.moves) {
      return;
    }
    this.moves = true;
    for (const one of this.charts) {
      if (one.scales["x"]!.min !== min || one.scales["x"]!.max !== max) {
        one.setScale("x", { min, max });
      }
    }
    this.moves = false;
  };

  get range(): [number, number] {
    const x = this.charts[0]?.scales["x"];
    return [x?.min ?? 0, x?.max ?? this.end];
  }

  /** Within the run, and never less than a microsecond. */
  show(min: number, max: number): void {
    const length = Math.min(Math.max(max - min, 1e-6), this.end);
    const from = Math.min(Math.max(min, 0), this.end - length);
    this.charts[0]?.setScale("x", { min: from, max: from + length });
  }

  zoom(factor: number, around: number): void {
    const [min, max] = this.range;
    this.show(around - (around - min) * factor, around + (max - around) * factor);
  }

  /** Brings a point of time into view, with as much around it as now. */
  reveal(at: number): void {
    const [min, max] = this.range;
    if (at < min || at > max) {
      this.show(at - (max - min) / 2, at + (max - min) / 2);
    }
  }

  repaint(): void {
    this.colours = palette();
    this.charts.forEach((one) => one.redraw(false, true));
  }
}
