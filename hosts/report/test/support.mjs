// SPDX-License-Identifier: Apache-2.0
// Pages made by the program, opened in a real Chromium that has no network, and what is in their events read anew.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import assert from "node:assert/strict";
import { chromium } from "playwright-core";

export const here = dirname(fileURLToPath(import.meta.url));
export const root = join(here, "../../..");
const segue = process.env.SEGUE ?? join(root, "build/release/segue");

const FLAGS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];

/** A learner, a standby, an owner that restores, a crash, a drain: all that a timeline can show. */
export const EVERYTHING = {
  segue: "scenario/1",
  name: "all that there is",
  group: {
    segue: "group/1",
    config: { "num.standby.replicas": 1 },
    subtopologies: [{ id: 0, partitions: 6, state_bytes: 3000000000 }],
    members: [{ id: "a" }, { id: "b" }, { id: "c" }],
  },
  cluster: { restore_bytes_per_s: 100000000, open_ms: 12000, write_bytes_per_s: 10000, session_timeout_ms: 20000, protocol: "cooperative" },
  until_ms: 900000,
  actions: [
    { at_ms: 60000, do: "start", member: "c" },
    { at_ms: 300000, do: "crash", member: "a", lose_disk: true },
    { at_ms: 420000, do: "start", member: "a" },
    { at_ms: 600000, do: "drain", member: "b", timeout_ms: 600000 },
  ],
};

/** Members that come back within their session keep their copies, whose replays go on where they stood. */
export const STATIC = {
  segue: "scenario/1", name: "static members",
  group: {
    segue: "group/1", config: { "num.standby.replicas": 2 },
    subtopologies: [{ id: 0, partitions: 2, state_bytes: 1e9 }], members: [{ id: "a" }, { id: "b" }, { id: "c" }],
  },
  cluster: { restore_bytes_per_s: 1e7, static_members: true, write_bytes_per_s: 10000 },
  actions: [{ at_ms: 1000, do: "start", member: "c" }, { at_ms: 30000, do: "restart", member: "c", away_ms: 5000, by: "crash" },
    { at_ms: 60000, do: "crash", member: "c" }],
};

/** A folder, a browser, and the complaints of all its pages; close() fails where there is any. */
export async function open() {
  const folder = mkdtempSync(join(tmpdir(), "segue-report-"));
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: FLAGS });
  const complaints = [];
  return {
    folder,
    complaints,
    file: (name) => join(folder, name),
    write: (name, text) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    },
    /** @param onLoad runs in the page before its own script */
    async show(file, { onLoad, ...options } = {}) {
      const page = await browser.newPage({ viewport: { width: 1280, height: 1000 }, ...options });
      if (onLoad) {
        await page.addInitScript(onLoad);
      }
      // The tests read pixels back, which the page itself never does.
      page.on("console", (message) => message.text().includes("getImageData") || complaints.push(`console: ${message.text()}`));
      page.on("pageerror", (error) => complaints.push(`error: ${error.stack}`));
      page.on("dialog", (dialog) => complaints.push(`dialog: ${dialog.message()}`));
      page.on("request", (request) => {
        if (request.url() !== pathToFileURL(file).href) {
          complaints.push(`request: ${request.url()}`);
        }
      });
      await page.goto(pathToFileURL(file).href);
      return page;
    },
    async close() {
      await browser.close();
      rmSync(folder, { recursive: true });
      assert.deepEqual(complaints, []);
    },
  };
}

/** What the program prints. */
export function run(words, options = {}) {
  return execFileSync(segue, words, { encoding: "utf8", maxBuffer: 1 << 28, ...options });
}

/** The figures as the program prints them, and as they are computed anew from the file. */
export function simulate(space, name, words, input) {
  const events = space.file(`${name}.jsonl`);
  const page = space.file(`${name}.html`);
  const printed = execFileSync(segue, ["simulate", "--json", "--events", events, "--report", page, ...words], {
    encoding: "utf8", input, maxBuffer: 1 << 28,
  });
  return { events, page, figures: JSON.parse(printed).figures };
}

/** What each run of these files has to show, computed anew. */
export function retell(...files) {
  return execFileSync("python3", ["-B", join(root, "hosts/cli/simulate/recompute_report.py"), ...files], { encoding: "utf8", maxBuffer: 1 << 28 })
    .trimEnd().split("\n").map((line) => JSON.parse(line));
}

export function rows(events) {
  return readFileSync(events, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line));
}

/** What a member is to a task at a time, told from the events one by one and by no other way. */
export function stateAt(all, task, member, at) {
  let role = "none";
  let runs = false;
  let up = false;
  for (const row of all) {
    if (row.at_us > at) {
      break;
    }
    if (row.member === member && (row.event === "up" || row.event === "down")) {
      up = row.event === "up";
    }
    if (row.member === member && row.task === task) {
      role = row.event === "role" ? row.role : role;
      runs = row.event === "run" ? true : row.event === "stop" ? false : runs;
    }
  }
  if (!up) {
    return "none";
  }
  return runs ? "active" : role === "active" ? "opening" : role === "learner" || role === "standby" ? role : "none";
}

/** Stretches in which nobody processes a task, with who did before. */
export function gapsOf(all) {
  const end = all.at(-1).at_us;
  const found = [];
  for (const { id } of all[0].tasks) {
    let from = 0;
    let before;
    for (const row of all.filter((one) => one.task === id && (one.event === "run" || one.event === "stop"))) {
      if (row.event === "run" && from !== undefined && row.at_us > from) {
        found.push({ task: id, from, to: row.at_us, before });
      }
      from = row.event === "stop" ? row.at_us : undefined;
      before = row.member;
    }
    if (from !== undefined && end > from) {
      found.push({ task: id, from, to: end, before });
    }
  }
  return found;
}

/** Where a task of a member at a time is on the screen: inside its bar, above the name that may stand there. */
export function place(page, task, member, at) {
  return page.evaluate(([wantedTask, wantedMember, time]) => {
    const { run, lanes } = window.segueReport.shown();
    const { places } = lanes.layout;
    const index = places.findIndex((one) => run.members[one.lane.member] === wantedMember && one.row && run.tasks[one.row.task] === wantedTask);
    if (index < 0) {
      return null;
    }
    lanes.reveal(index);
    const over = lanes.u.over.getBoundingClientRect();
    return { x: over.left + lanes.u.valToPos(time / 1e6, "x"), y: over.top + lanes.yOf(places[index]) + lanes.rowHeight * 0.12 };
  }, [task, member, at]);
}

/** The colour of the timeline's canvas at a point of the screen. */
export async function pixel(page, point) {
  await frame(page);
  return page.evaluate(({ x, y }) => {
    const { u } = window.segueReport.shown().lanes;
    const box = u.ctx.canvas.getBoundingClientRect();
    const ratio = u.ctx.canvas.width / box.width;
    return [...u.ctx.getImageData(Math.round((x - box.left) * ratio), Math.round((y - box.top) * ratio), 1, 1).data].slice(0, 3);
  }, point);
}

/**
 * The same for many rows and times at once, all of them in view: a few pixels beside each other, the middle one first; null
 * where a task has no row on a member.
 */
export async function pixels(page, wanted) {
  await frame(page);
  return page.evaluate((all) => {
    const { run, lanes } = window.segueReport.shown();
    const { u, layout } = lanes;
    const { width, height } = u.ctx.canvas;
    const { data } = u.ctx.getImageData(0, 0, width, height);
    const box = u.ctx.canvas.getBoundingClientRect();
    const over = u.over.getBoundingClientRect();
    const ratio = width / box.width;
    const rowOf = new Map(layout.places.filter((one) => one.row).map((one) => [`${run.tasks[one.row.task]} ${run.members[one.lane.member]}`, one]));
    return all.map(({ task, member, at }) => {
      const row = rowOf.get(`${task} ${member}`);
      if (!row) {
        return null;
      }
      const x = Math.round((over.left - box.left + u.valToPos(at / 1e6, "x")) * ratio);
      const y = Math.round((over.top - box.top + lanes.yOf(row) + lanes.rowHeight * 0.12) * ratio);
      return [0, -3, -2, -1, 1, 2, 3].map((beside) => [...data.subarray((y * width + x + beside) * 4, (y * width + x + beside) * 4 + 3)]);
    });
  }, wanted);
}

export function frame(page) {
  return page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/** A colour of the style sheet as numbers. */
export function colour(page, name) {
  return page.evaluate((wanted) => {
    const ctx = document.createElement("canvas").getContext("2d");
    ctx.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(`--${wanted}`).trim();
    ctx.fillRect(0, 0, 1, 1);
    return [...ctx.getImageData(0, 0, 1, 1).data].slice(0, 3);
  }, name);
}

export function table(page, id) {
  return page.evaluate((wanted) => [...document.querySelectorAll(`#${wanted} tbody tr`)].map((row) => [...row.cells].map((cell) => ({
    text: cell.textContent, ...cell.dataset,
  }))), id);
}
