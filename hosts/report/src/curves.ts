// SPDX-License-Identifier: Apache-2.0
/** Curves over time: what copies lack that replay, and how many tasks each member runs. */

import type uPlot from "uplot";
import { chart, ratio, type View } from "./chart";
import { bytes, plain } from "./format";
import type { Point, Run } from "./model";

const HEIGHT = 240;
const FEW = 8;

export interface Curve {
  member: number;
  task: number;
  points: Point[];
  steps: boolean;
}

export class Curves {
  readonly u: uPlot;
  /** What is drawn in front, or undefined. */
  chosen: ((curve: Curve) => boolean) | undefined;

  constructor(private readonly into: HTMLElement, private readonly view: View, readonly curves: Curve[], unit: "B" | "",
    onCursor: (u: uPlot) => void) {
    const most = curves.reduce((high, one) => one.points.reduce((max, p) => (p.value > max ? p.value : max), high), 0);
    const spread = new Set(curves.map((one) => one.member)).size;
    this.many = spread > FEW;
    this.u = chart(into, view, {
      width: 300,
      height: HEIGHT,
      y: { range: () => [0, (most || 1) * 1.05] },
      yAxis: { size: 70, values: (_u, splits) => splits.map((one) => (unit === "B" ? bytes(one) : plain(one))),
        incrs: unit === "B" ? POWERS : WHOLE },
      cursorY: false,
      draw: (u) => this.draw(u),
      onCursor,
    });
  }

  private readonly many: boolean;

  fit(width: number): void {
    this.u.setSize({ width, height: HEIGHT });
  }

  get width(): number {
    return this.into.clientWidth;
  }

  private draw(u: uPlot): void {
    const { ctx } = u;
    ctx.lineJoin = "round";
    ctx.lineWidth = (this.many ? 1 : 1.6) * ratio(u);
    const chosen = this.curves.filter((curve) => this.chosen?.(curve));
    ctx.globalAlpha = chosen.length > 0 ? 0.3 : this.many ? 0.5 : 0.9;
    this.curves.forEach((curve) => this.drawCurve(u, curve));
    ctx.globalAlpha = 1;
    ctx.lineWidth = 3 * ratio(u);
    chosen.forEach((curve) => this.drawCurve(u, curve));
  }

  private drawCurve(u: uPlot, curve: Curve): void {
    const { ctx } = u;
    const { lines } = this.view.colours;
    const x = (at: number): number => u.valToPos(at / 1e6, "x", true);
    const y = (value: number): number => u.valToPos(value, "y", true);
    ctx.strokeStyle = lines[curve.member % lines.length] ?? this.view.colours.accent;
    ctx.beginPath();
    let before: Point | undefined;
    for (const point of curve.points) {
      if (Number.isNaN(point.value)) {
        before = undefined;
        continue;
      }
      if (!before) {
        ctx.moveTo(x(point.at), y(point.value));
      } else {
        if (curve.steps) {
          ctx.lineTo(x(point.at), y(before.value));
        }
        ctx.lineTo(x(point.at), y(point.value));
      }
      before = point;
    }
    if (before && curve.steps) {
      ctx.lineTo(x(this.view.end * 1e6), y(before.value));
    }
    ctx.stroke();
  }
}

const WHOLE = [1, 2, 5].flatMap((one) => [1, 10, 100, 1000, 1e4, 1e5, 1e6].map((ten) => one * ten)).sort((a, b) => a - b);
const POWERS = Array.from({ length: 50 }, (_, i) => 2 ** i);

export function lagCurves(run: Run): Curve[] {
  return run.lanes.flatMap((lane) => lane.rows.filter((row) => row.lag.length > 0)
    .map((row) => ({ member: lane.member, task: row.task, points: row.lag, steps: false })));
}

export function loadCurves(run: Run): Curve[] {
  return run.lanes.filter((lane) => lane.member < run.recording.head.members.length)
    .map((lane) => ({ member: lane.member, task: -1, points: lane.load, steps: true }));
}
