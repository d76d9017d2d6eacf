// SPDX-License-Identifier: Apache-2.0
// The numbers of the page against those of the program, and against those that recompute.py makes of the same events.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { join } from "node:path";
import { gapsOf, here, open, recompute, rows, run, simulate, table } from "./support.mjs";

let space;
before(async () => (space = await open()));
after(() => space.close());

const near = (a, b) => Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));

async function shown(page, column = 1) {
  const all = await table(page, "figures");
  return Object.fromEntries(all.map((cells) => [cells[0].text, Number(cells[column].value)]));
}

function same(shownFigures, wanted, what) {
  assert.deepEqual(Object.keys(shownFigures).sort(), Object.keys(wanted).sort());
  for (const [name, value] of Object.entries(wanted)) {
    assert.ok(near(shownFigures[name], value), `${what}: ${name} is shown as ${shownFigures[name]}, and is ${value}`);
  }
}

const CASES = [
  ["scale-out", "--assignor", "learner", "--standbys", "1"],
  ["scale-out", "--assignor", "high-availability"],
  ["scale-in", "--assignor", "scale-down"],
  ["rolling-restart", "--assignor", "sticky", "--standbys", "1"],
  ["spot-kills", "--assignor", "balanced", "--standbys", "1", "--tasks", "20"],
  ["flapping", "--assignor", "learner", "--tasks", "20"],
  ["swap", "--assignor", "balanced"],
];

for (const [preset, ...more] of CASES) {
  test(`${preset} ${more.join(" ")}: the figures are the program's, and those computed anew`, async () => {
    const { events, page, figures } = simulate(space, preset + more[1], ["--preset", preset, ...more]);
    const opened = await space.show(page);
    const read = await shown(opened);
    same(read, figures, "the program");
    same(read, recompute(events), "recompute.py");
    await opened.close();
  });
}

test("tables of rebalances, gaps and members say what the events say", async () => {
  const { events, page } = simulate(space, "tables", ["--preset", "scale-in", "--assignor", "scale-down", "--tasks", "20"]);
  const all = rows(events);
  const opened = await space.show(page);
  const rebalances = all.filter((row) => row.event === "rebalance");
  assert.deepEqual(
    (await table(opened, "rebalances")).map((cells) => cells.slice(0, 8).map((cell) => cell.value)),
    rebalances.map((row) => [row.at_us, row.cause, row.moves, row.min_moves, row.learners, row.members, row.held_back, row.fallback].map(String)),
  );
  const gaps = gapsOf(all).map((gap) => [gap.task, String(gap.to - gap.from), String(gap.from), gap.before]);
  const told = (await table(opened, "gaps")).map((cells) => [cells[0].value, cells[1].value, cells[2].value, cells[3].text]);
  assert.ok(gaps.length > 0);
  assert.deepEqual(told.sort(), gaps.sort());
  const runs = (member, at) => all[0].tasks.filter(({ id }) => {
    const last = all.filter((row) => row.task === id && (row.event === "run" || row.event === "stop") && row.at_us <= at).at(-1);
    return last?.event === "run" && last.member === member;
  }).length;
  for (const cells of await table(opened, "members")) {
    const member = cells[0].text;
    assert.equal(Number(cells[1].value), runs(member, 0), member);
    assert.equal(Number(cells[3].value), runs(member, all.at(-1).at_us), member);
    const restored = all.filter((row) => row.event === "restored" && row.member === member).reduce((sum, row) => sum + row.bytes, 0);
    assert.ok(near(Number(cells[6].value), restored), member);
  }
  await opened.close();
});

test("a comparison shows each run beside the others, and the one that is chosen", async () => {
  const file = space.file("compare.html");
  const words = ["compare", "--json", "--preset", "scale-out", "--assignors", "learner,sticky", "--report", file];
  const { columns } = JSON.parse(run(...words));
  const page = await space.show(file);
  for (const [i, { assignor, runs: [{ seed, ...figures }] }] of columns.entries()) {
    assert.equal(seed, 1);
    same(await shown(page, i + 1), figures, assignor);
    await page.selectOption("#run", String(i));
    assert.equal(await page.textContent("#title"), `scale-out under ${assignor}`);
    assert.equal(await page.evaluate(() => document.querySelectorAll("#lanes .uplot").length), 1);
  }
  await page.close();
});

test("a live run of the demo is shown as a simulation is", async () => {
  const file = space.file("demo.html");
  const demo = join(here, "demo.jsonl");
  run("report", demo, "--out", file);
  const page = await space.show(file);
  const heads = rows(demo).filter((row) => row.segue);
  assert.deepEqual(heads.map((head) => head.assignor), ["sticky", "scale-down"]);
  for (const [i, head] of heads.entries()) {
    const all = rows(demo);
    const from = all.findIndex((row) => row.segue && row.assignor === head.assignor);
    const to = all.findIndex((row, at) => at > from && row.segue);
    const own = all.slice(from, to < 0 ? undefined : to);
    const alone = space.write(`demo-${i}.jsonl`, own.map((row) => JSON.stringify(row)).join("\n"));
    same(await shown(page, i + 1), recompute(alone), head.assignor);
  }
  assert.match(await page.textContent("#subtitle"), /a live run of the demo/);
  await page.close();
});
