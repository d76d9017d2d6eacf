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
    async show(file, options = {}) {
      const page = await browser.newPage({ viewport: { width: 1280, height: 1000 }, ...options });
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

export function run(...words) {
  return execFileSync(segue, words, { encoding: "utf8", maxBuffer: 1 << 28 });
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

export function recompute(events) {
  return JSON.parse(execFileSync("python3", ["-B", join(root, "hosts/cli/simulate/recompute.py"), events], { encoding: "utf8" }));
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
    text: cell.textContent, value: cell.dataset.value,
  }))), id);
}
