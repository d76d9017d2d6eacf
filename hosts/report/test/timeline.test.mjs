// SPDX-License-Identifier: Apache-2.0
// What the timeline shows: bars and gaps by their pixels, decisions by mouse and by keys.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { colour, EVERYTHING, frame, gapsOf, open, pixel, pixels, place, rows, simulate, stateAt } from "./support.mjs";

let space;
let all;
let page;

before(async () => {
  space = await open();
  const made = simulate(space, "all", ["--assignor", "scale-down", "-"], JSON.stringify(EVERYTHING));
  all = rows(made.events);
  page = await space.show(made.page);
});
after(() => space.close());

const close = (a, b) => a.every((one, i) => Math.abs(one - b[i]) <= 3);

test("every bar has its colour at every moment between two events", async () => {
  const kinds = ["active", "opening", "standby", "learner", "gap", "band", "away", "surface", "leaving", "ink"];
  const colours = Object.fromEntries(await Promise.all(kinds.map(async (kind) => [kind, await colour(page, kind)])));
  const times = [...new Set(all.slice(1).map((row) => row.at_us))].sort((a, b) => a - b);
  const gaps = gapsOf(all);
  const seen = new Set();
  // Marks of a few pixels are wider than what they stand for, so short stretches prove nothing.
  const long = times.slice(0, -1).map((from, i) => [from, times[i + 1]]).filter(([from, to]) => to - from >= 6e6);
  const places = long.flatMap(([from, to]) => all[0].tasks.flatMap(({ id: task }) => all[0].members.map(({ id: member }) => (
    { task, member, at: Math.round((from + to) / 2) }))));
  let looked = 0;
  (await pixels(page, places)).forEach((found, i) => {
    const { task, member, at } = places[i];
    const state = stateAt(all, task, member, at);
    if (!found) {
      assert.equal(state, "none", `${task} on ${member} at ${at} has no row`);
      return;
    }
    const gap = gaps.find((one) => one.task === task && one.before === member && one.from < at && at < one.to);
    const wanted = gap ? ["gap"] : state === "none" ? ["band", "away"] : [state];
    // A learner is striped.
    const looks = state === "learner" ? found : [found[0]];
    assert.ok(looks.some((one) => wanted.some((name) => close(one, colours[name]))),
      `${task} on ${member} at ${at}: ${wanted} is to be seen, and ${found} is (${JSON.stringify(colours)})`);
    seen.add(gap ? "gap" : state);
    looked++;
  });
  assert.deepEqual([...seen].sort(), ["active", "gap", "learner", "none", "opening", "standby"]);
  assert.ok(looked > 100, `${looked} places were looked at`);
});

test("a gap of half a second in eleven minutes is seen as well", async () => {
  const made = simulate(space, "short", ["--preset", "scale-out"]);
  const opened = await space.show(made.page);
  const [gap] = gapsOf(rows(made.events));
  assert.equal(gap.to - gap.from, 500000);
  const point = await place(opened, gap.task, gap.before, (gap.from + gap.to) / 2);
  assert.ok(close(await pixel(opened, point), await colour(opened, "gap")));
  await opened.close();
});

test("the mouse over a bar tells the decision and its reason as the events have them", async () => {
  const decision = all.find((row) => row.event === "decision" && row.kind === "learn" && row.reason === "below-quota");
  const ready = all.find((row) => row.event === "ready" && row.task === decision.task && row.member === decision.to);
  const point = await place(page, decision.task, decision.to, (decision.at_us + ready.at_us) / 2);
  await page.mouse.move(point.x, point.y);
  await frame(page);
  const tip = await page.textContent("#tip");
  assert.ok(tip.includes(`${decision.task} on ${decision.to}`), tip);
  assert.ok(tip.includes(`learn (below-quota): ${decision.text}`), tip);
  const rebalances = (told) => told.filter((row) => row.event === "rebalance").length;
  assert.ok(tip.includes(`in rebalance ${rebalances(all.slice(0, all.indexOf(decision)))} of ${rebalances(all)}, cause: joined`), tip);
  const role = all.find((row) => row.event === "role" && row.role === "learner" && row.task === decision.task && row.member === decision.to);
  const [, minutes, seconds, lag] = /learns it while its owner goes on, since (\d\d):([\d.]+), ([\d.]+) GiB behind at last word/.exec(tip);
  assert.ok(Math.abs(Number(minutes) * 60 + Number(seconds) - role.at_us / 1e6) <= 0.005, tip);
  assert.ok(Math.abs(Number(lag) - role.lag_bytes / 2 ** 30) <= 0.005, `${tip} for ${role.lag_bytes}`);
});

test("the mouse over a gap says how long it is and who goes on", async () => {
  const gap = gapsOf(all).filter((one) => one.before).sort((a, b) => b.to - b.from - (a.to - a.from))[0];
  const next = all.find((row) => row.event === "run" && row.task === gap.task && row.at_us === gap.to);
  const point = await place(page, gap.task, gap.before, (gap.from + gap.to) / 2);
  await page.mouse.move(point.x, point.y);
  await frame(page);
  assert.ok((await page.textContent("#tip")).includes(`; then ${next.member} does`));
});

test("keys lead through rows, changes, gaps and rebalances, and what is there is said", async () => {
  await page.focus("#lanes-frame");
  const press = async (key) => {
    await page.keyboard.press(key);
    return page.textContent("#said");
  };
  const firstTask = all[0].tasks[0].id;
  const firstMember = all[0].members[0].id;
  await press("Escape");
  assert.ok((await press("ArrowDown")).startsWith(`${firstTask} on ${firstMember}, 00:00.00: runs it`), await page.textContent("#said"));
  const gaps = gapsOf(all).sort((a, b) => a.from - b.from || (a.task < b.task ? -1 : 1));
  for (const gap of gaps.slice(0, 4)) {
    const said = await press("g");
    assert.ok(said.startsWith(`${gap.task} on ${gap.before}`) && said.includes("Gap: nobody processes it"), said);
  }
  assert.ok((await press("Shift+G")).startsWith(`${gaps[2].task} on ${gaps[2].before}`));
  const chosen = () => page.evaluate(() => window.segueReport.shown().cursor.chosen);
  const at = (await chosen()).at;
  await press("r");
  assert.equal((await chosen()).at, all.find((row) => row.event === "rebalance" && row.at_us > at).at_us);
  await press("Shift+R");
  await press("Home");
  const changes = all.filter((row) => ["role", "run", "stop"].includes(row.event) && row.at_us > 0);
  await press("PageUp");
  await press("PageUp");
  const here = await chosen();
  await press("ArrowRight");
  const moved = await chosen();
  assert.ok(changes.some((row) => row.task === here.task && row.at_us === moved.at) || moved.at === all.at(-1).at_us);
  await press("End");
  assert.equal((await chosen()).at, all.at(-1).at_us);
});

test("keys make time and rows larger, and 0 shows everything again", async () => {
  const range = () => page.evaluate(() => window.segueReport.shown().view.range);
  const rowHeight = () => page.evaluate(() => window.segueReport.shown().lanes.rowHeight);
  await page.focus("#lanes-frame");
  const [from, to] = await range();
  const high = await rowHeight();
  await page.keyboard.press("+");
  const [nearer, farther] = await range();
  assert.ok(Math.abs((farther - nearer) * 2 - (to - from)) < 1e-6);
  await page.keyboard.press("[");
  assert.ok((await rowHeight()) < high);
  await page.keyboard.press("0");
  assert.deepEqual(await range(), [0, all.at(-1).at_us / 1e6]);
  await page.keyboard.press("]");
});

test("everything can be reached with the tabulator, and the focus is seen", async () => {
  await page.evaluate(() => document.activeElement.blur());
  const wanted = ["theme", "print", "only", "find", "zoom-in", "zoom-out", "taller", "shorter", "reset", "lanes-frame"];
  const reached = new Set();
  for (let i = 0; i < 200 && !wanted.every((id) => reached.has(id)); i++) {
    await page.keyboard.press("Tab");
    const { id, outlined } = await page.evaluate(() => {
      const one = document.activeElement;
      return { id: one.id || one.dataset.do || one.tagName, outlined: getComputedStyle(one).outlineStyle !== "none" };
    });
    assert.ok(outlined || id === "BODY", `${id} does not show that it has the focus`);
    reached.add(id);
  }
  assert.deepEqual(wanted.filter((id) => !reached.has(id)), []);
});

test("a name is found", async () => {
  await page.fill("#find", "0_4");
  await page.press("#find", "Enter");
  assert.equal((await page.evaluate(() => window.segueReport.shown().cursor.chosen)).task, "0_4");
  await page.fill("#find", "nowhere");
  await page.press("#find", "Enter");
  assert.match(await page.textContent("#said"), /No task and no member is called nowhere/);
});

test("a row of a table leads to its place in the timeline", async () => {
  await page.click("#gaps tbody tr:first-child button");
  assert.match(await page.textContent("#said"), /Gap: nobody processes it/);
});

test("all charts show the stretch of time that one of them is dragged to", async () => {
  const box = await page.evaluate(() => {
    const over = document.querySelector("#load .u-over");
    over.scrollIntoView({ block: "center" });
    const { left, top, width, height } = over.getBoundingClientRect();
    return { left, top, width, height };
  });
  await page.mouse.move(box.left + box.width * 0.25, box.top + 40);
  await page.mouse.down();
  await page.mouse.move(box.left + box.width * 0.5, box.top + 60, { steps: 4 });
  await page.mouse.up();
  await frame(page);
  const ranges = await page.evaluate(() => window.segueReport.shown().view.charts.map((one) => [one.scales.x.min, one.scales.x.max]));
  assert.equal(ranges.length, 3);
  assert.ok(ranges.every(([min, max]) => min === ranges[0][0] && max === ranges[0][1]), JSON.stringify(ranges));
  assert.ok(ranges[0][0] > 0);
});
