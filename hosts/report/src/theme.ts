// SPDX-License-Identifier: Apache-2.0
/** Colours for canvases, read from the style sheet, and the switch between dark and light. */

import type { Kind } from "./model";

export interface Palette {
  ink: string;
  muted: string;
  line: string;
  surface: string;
  band: string;
  accent: string;
  gap: string;
  gapInk: string;
  away: string;
  leaving: string;
  bars: Record<Kind, string>;
  inks: Record<Kind, string>;
  lines: string[];
}

const LINES = 8;

export function palette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const kinds: Kind[] = ["active", "opening", "learner", "standby"];
  const each = (suffix: string): Record<Kind, string> =>
    Object.fromEntries(kinds.map((kind) => [kind, of(kind + suffix)])) as Record<Kind, string>;
  return {
    ink: of("ink"),
    muted: of("muted"),
    line: of("line"),
    surface: of("surface"),
    band: of("band"),
    accent: of("accent"),
    gap: of("gap"),
    gapInk: of("gap-ink"),
    away: of("away"),
    leaving: of("leaving"),
    bars: each(""),
    inks: each("-ink"),
    lines: Array.from({ length: LINES }, (_, i) => of(`line-${i + 1}`)),
  };
}

/** Diagonal stripes, so that a bar is told from another without colour. */
export function stripes(base: string, stripe: string, ratio: number): CanvasPattern | string {
  const tile = document.createElement("canvas");
  const side = Math.round(6 * ratio);
  tile.width = side;
  tile.height = side;
  const ctx = tile.getContext("2d");
  if (!ctx) {
    return base;
  }
  ctx.fillStyle = base;
  ctx.fillRect(0, 0, side, side);
  ctx.strokeStyle = stripe;
  ctx.lineWidth = 1.4 * ratio;
  ctx.beginPath();
  for (const shift of [-side, 0, side]) {
    ctx.moveTo(shift, side);
    ctx.lineTo(shift + side, 0);
  }
  ctx.stroke();
  return ctx.createPattern(tile, "repeat") ?? base;
}

/** Calls back whenever colours may have changed: the system's wish, the page's own switch, the printer. */
export function onTheme(redraw: () => void): void {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  const button = document.getElementById("theme") as HTMLButtonElement;
  button.addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.dataset["theme"]
      ? root.dataset["theme"] === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset["theme"] = dark ? "light" : "dark";
    redraw();
  });
}
