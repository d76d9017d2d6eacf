// SPDX-License-Identifier: Apache-2.0
/** Puts the page together: reads the events inside it, draws the run that is chosen, and keeps it as wide as the window. */

import { View } from "./chart";
import { Cursor } from "./cursor";
import { Curves, lagCurves, loadCurves } from "./curves";
import { byId, el, tame } from "./dom";
import { columns, title, type Column, type OneRun } from "./columns";
import { parse, type Parsed, type Recording } from "./events";
import type { Figures } from "./figures";
import { plain, seconds } from "./format";
import { Lanes } from "./lanes";
import { Layout } from "./layout";
import { build, type Run } from "./model";
import { showCards, showFigures, showGaps, showMembers, showRebalances } from "./tables";
import { onTheme } from "./theme";
import { lagText } from "./words";

const SOURCES: Record<string, string> = {
  simulation: "a simulation",
  demo: "a live run of the demo on a Kafka broker",
  recording: "a recording: bars begin and end with the rebalances that it knows of, and nothing is known in between",
};
const MANY_ROWS = 200;
const PRINT_WIDTH = 1000;
/** So many pixels of rows leave room on the first sheet for what stands above them. */
const PRINT_ROWS = 380;

interface Shown {
  run: Run;
  view: View;
  lanes: Lanes;
  curves: Curves[];
  cursor: Cursor;
}

let shown: Shown | undefined;
/** What was chosen before the page went to paper, which is light. */
let screenTheme: string | undefined;
let screenRows: (() => void) | undefined;

function subtitle(run: Run): string {
  const { head, endUs, rows } = run.recording;
  const parts = [
    `${plain(run.tasks.length)} ${run.tasks.length === 1 ? "task" : "tasks"}`,
    `${plain(head.members.length)} ${head.members.length === 1 ? "member" : "members"} in all`,
    seconds(endUs / 1e6),
    ...(head.began_ms ? [`from ${new Date(head.began_ms).toISOString()}`] : []),
    `from ${SOURCES[head.source ?? "simulation"] ?? tame(head.source ?? "")}`,
    ...(rows[rows.length - 1]?.event === "end" ? [] : ["its file of events is cut off: what came behind is not known"]),
  ];
  return parts.join(" · ");
}

function show(recording: Recording, figures: Figures): void {
  const run = build(recording);
  byId<HTMLInputElement>("only").checked = onlyChanges(run);
  const { head } = recording;
  const name = `${title(head)}${head.seeds ? `, seed ${head.seed}` : ""}`;
  byId("title").textContent = name;
  document.title = `${name} · segue`;
  byId("subtitle").textContent = subtitle(run);
  showCards(figures);
  draw(run);
  showMembers(run);
  showRebalances(run, (one) => leadTo(() => shown?.cursor.choose(0, one.at)));
  showGaps(run, (gap) => leadTo(() => shown?.cursor.goTo(gap.task, gap.before >= 0 ? gap.before : gap.after, gap.from)));
}

function leadTo(go: () => void): void {
  byId("lanes-frame").focus();
  go();
}

/** Where there is much, what stays as it is would hide what happens. */
function onlyChanges(run: Run): boolean {
  const rows = run.lanes.reduce((sum, lane) => sum + lane.rows.length, 0);
  return rows > MANY_ROWS && new Layout(run, true).places.length > 0;
}

function layOut(run: Run): Layout {
  const only = byId<HTMLInputElement>("only").checked;
  const layout = new Layout(run, only);
  byId("hidden-hint").textContent = layout.hidden === 0 ? "" : `${plain(layout.hidden)} copies that stay what they are from beginning to end are left out.`;
  return layout;
}

function draw(run: Run): void {
  shown?.view.charts.forEach((one) => one.destroy());
  const view = new View(run.end / 1e6);
  const lag = lagCurves(run);
  const load = loadCurves(run);
  const lanes: Lanes = new Lanes(byId("lanes"), run, layOut(run), view, (u) => shown?.cursor.hover(u));
  const unit = run.recording.head.lag_unit === "records" ? "" : "B";
  const curves = [
    new Curves(byId("lag"), view, lag, unit, () => undefined),
    new Curves(byId("load"), view, load, "", () => undefined),
  ];
  const cursor = new Cursor(run, lanes, view, (place) => {
    curves[0]!.chosen = place?.row && ((one): boolean => one.member === place.lane.member && one.task === place.row?.task);
    curves[1]!.chosen = place && ((one): boolean => one.member === place.lane.member);
    curves.forEach((one) => one.u.redraw(false));
  });
  view.charts.push(lanes.u, ...curves.map((one) => one.u));
  lanes.u.hooks.draw?.push(() => cursor.draw());
  shown = { run, view, lanes, curves, cursor };
  describeCurves(run, lag.length, load);
  fit();
}

function describeCurves(run: Run, lags: number, load: { points: { value: number }[] }[]): void {
  const most = run.lanes.flatMap((lane) => lane.rows.flatMap((row) => row.lag)).reduce((max, p) => (p.value > max ? p.value : max), 0);
  const highest = load.reduce((max, one) => one.points.reduce((high, p) => Math.max(high, p.value), max), 0);
  byId("lag-hint").textContent = lags === 0 ? "No copy replays anything." : "Each line is a copy, coloured by member; the one under the cursor of the timeline is drawn in front.";
  byId("lag-text").textContent = `${plain(lags)} copies replay; the largest lag is ${lagText(run, most)}.`;
  byId("load-hint").textContent = "Each line is a member; the one under the cursor of the timeline is drawn in front.";
  byId("load-text").textContent = `At most ${plain(highest)} tasks run on one member. The table of members has each one's numbers.`;
}

/** As wide as there is room; on paper as wide as the paper. */
function fit(width?: number): void {
  if (!shown) {
    return;
  }
  const { lanes, curves } = shown;
  lanes.fit(width ?? byId("lanes-frame").clientWidth, width ? PRINT_ROWS : undefined);
  curves.forEach((one) => one.fit(width ? (width - 50) / 2 : one.width));
}

function print(on: boolean): void {
  if (!shown) {
    return;
  }
  const { lanes, view } = shown;
  const { dataset } = document.documentElement;
  if (on) {
    screenTheme = dataset["theme"];
    dataset["theme"] = "light";
    screenRows = lanes.keep();
    lanes.fitRows(PRINT_ROWS);
  } else {
    if (screenTheme) {
      dataset["theme"] = screenTheme;
    } else {
      delete dataset["theme"];
    }
    screenRows?.();
  }
  fit(on ? PRINT_WIDTH : undefined);
  view.repaint();
}

function act(what: string): void {
  if (!shown) {
    return;
  }
  const { view, lanes, cursor } = shown;
  const [min, max] = view.range;
  const middle = cursor.chosen ? cursor.chosen.at / 1e6 : (min + max) / 2;
  const acts: Record<string, () => void> = {
    "zoom-in": () => view.zoom(0.5, middle),
    "zoom-out": () => view.zoom(2, middle),
    taller: () => lanes.resize(1.5),
    shorter: () => lanes.resize(1 / 1.5),
    reset: () => {
      lanes.fitRows();
      fit();
      view.show(0, view.end);
    },
  };
  acts[what]?.();
  cursor.draw();
}

/** The next row, behind the chosen one, whose task or member has the text in its name. */
function find(text: string): void {
  if (!shown || text === "") {
    return;
  }
  const { run, lanes, cursor } = shown;
  const { places } = lanes.layout;
  const now = cursor.chosen;
  const from = now ? places.findIndex((p) => run.members[p.lane.member] === now.member && (p.row ? run.tasks[p.row.task] : "") === now.task) : -1;
  const named = (i: number): string[] => [run.members[places[i]!.lane.member] ?? "", places[i]!.row ? (run.tasks[places[i]!.row!.task] ?? "") : ""];
  const order = places.map((_, i) => (from + 1 + i) % places.length);
  const hit = order.find((i) => named(i).includes(text)) ?? order.find((i) => named(i).some((name) => name.includes(text)));
  if (hit !== undefined) {
    cursor.choose(hit, places[hit]!.row?.bars[0]?.from ?? now?.at ?? 0);
  } else {
    byId("said").replaceChildren(el("p", `No task and no member is called ${text}.`, "what"));
  }
}

function listen(): void {
  onTheme(() => shown?.view.repaint());
  window.addEventListener("resize", () => fit());
  window.addEventListener("beforeprint", () => print(true));
  window.addEventListener("afterprint", () => print(false));
  byId("print").addEventListener("click", () => window.print());
  byId("lanes-frame").addEventListener("keydown", (event) => shown?.cursor.key(event));
  byId("lanes-frame").addEventListener("dblclick", () => shown?.view.show(0, shown.view.end));
  document.querySelectorAll<HTMLElement>("[data-do]").forEach((button) => button.addEventListener("click", () => act(button.dataset["do"] ?? "")));
  byId("only").addEventListener("change", () => shown && draw(shown.run));
  byId("find").addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      find((event.target as HTMLInputElement).value);
    }
  });
}

/** A choice among several, by what it is called; hidden where there are none. */
function offer(id: "run" | "seed", options: [string, string][]): HTMLSelectElement {
  const select = byId<HTMLSelectElement>(id);
  byId(`${id}-choice`).hidden = options.length < 2;
  select.replaceChildren(...options.map(([value, text]) => {
    const option = el("option", text) as HTMLOptionElement;
    option.value = value;
    return option;
  }));
  return select;
}

function choices(all: Column[]): void {
  const run = offer("run", all.map((column, i) => [String(i), title(column.head)]));
  const seed = byId<HTMLSelectElement>("seed");
  let told: OneRun[] = [];
  const showOne = (): void => {
    const one = told.find((other) => String(other.seed) === seed.value) ?? told[0]!;
    show(one.recording!, one.figures);
  };
  /** Another assignor is looked at with the same seed: the same chance. */
  const showColumn = (): void => {
    const now = seed.value;
    told = all[Number(run.value)]!.runs.filter((one) => one.recording);
    offer("seed", told.map((one) => [String(one.seed), String(one.seed)]));
    seed.value = told.some((one) => String(one.seed) === now) ? now : String(told[0]?.seed);
    showOne();
  };
  run.addEventListener("change", showColumn);
  seed.addEventListener("change", showOne);
  showColumn();
}

function complain(text: string): void {
  byId("problem").textContent = text;
  byId("problem").hidden = false;
  document.querySelectorAll<HTMLElement>("main section").forEach((section) => (section.hidden = true));
}

function start(): void {
  let parsed: Parsed;
  try {
    parsed = parse(byId("events").textContent ?? "");
  } catch (fault) {
    complain(`The events in this page cannot be read: ${String(fault)}`);
    return;
  }
  if (parsed.recordings.length === 0) {
    complain("There is no run in this page: it was made of an empty file of events.");
    return;
  }
  const all = columns(parsed);
  listen();
  showFigures(all);
  choices(all);
  Object.assign(window, { segueReport: { columns: all, shown: () => shown } });
}

start();
