// SPDX-License-Identifier: Apache-2.0
// 1,000 tasks on 100 members: what a frame takes goes with what is in view, and with nothing else.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { colour, frame, gapsOf, open, pixel, place, rows, simulate, table } from "./support.mjs";

const FRAMES = 40;

let space;
let large;
let small;
before(async () => {
  space = await open();
  large = simulate(space, "large", ["--preset", "scale-out", "--tasks", "1000", "--members", "100", "--standbys", "1"]);
  small = simulate(space, "small", ["--preset", "scale-out", "--tasks", "100", "--members", "10", "--standbys", "1"]);
});
after(() => space.close());

/** Every row, high enough for its name: as much as one screen can hold. */
async function everything(file) {
  const page = await space.show(file);
  await page.uncheck("#only");
  for (let i = 0; i < 4; i++) {
    await page.click("[data-do=zoom-in]");
  }
  return page;
}

/** Pans and scrolls in frames of the browser's own; counts what is painted, and how long the script takes of each. */
function pan(page, frames) {
  return page.evaluate(async (count) => {
    const { lanes, view } = window.segueReport.shown();
    const { ctx } = lanes.u;
    const found = { painted: [], ms: [], redraws: 0, visible: lanes.visible() };
    let boxes = 0;
    const fillRect = ctx.fillRect.bind(ctx);
    ctx.fillRect = (...box) => {
      boxes++;
      fillRect(...box);
    };
    lanes.u.hooks.draw.push(() => found.redraws++);
    const length = view.range[1] - view.range[0];
    for (let i = 0; i < count; i++) {
      await new Promise((done) => requestAnimationFrame(done));
      boxes = 0;
      const began = performance.now();
      const from = ((view.end - length) * i) / count;
      view.show(from, from + length);
      lanes.scrollTo((i * lanes.layout.total) / count);
      // uPlot draws in a microtask behind this one.
      await new Promise((done) => queueMicrotask(() => queueMicrotask(done)));
      await Promise.resolve();
      found.ms.push(performance.now() - began);
      found.painted.push(boxes);
    }
    ctx.fillRect = fillRect;
    return found;
  }, frames);
}

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

test("a frame of panning paints what is in view once, however many rows there are", async () => {
  const [big, little] = [await everything(large.page), await everything(small.page)];
  const runs = [];
  for (let i = 0; i < 3; i++) {
    runs.push([await pan(big, FRAMES), await pan(little, FRAMES)]);
  }
  const [first] = runs[0];
  assert.ok(first.painted.every((boxes) => boxes > 0), "every frame has painted");
  assert.ok(first.redraws <= FRAMES * 2 + 2, `${first.redraws} redraws in ${FRAMES} frames`);
  const most = Math.max(...first.painted);
  assert.ok(most < 40 + 6 * first.visible, `${most} boxes for ${Math.round(first.visible)} rows in view`);
  const ratios = runs.map(([one, other]) => median(one.ms) / Math.max(median(other.ms), 0.1));
  console.log(`# median frame: ${runs.map(([one, other]) => `${median(one.ms).toFixed(1)} ms and ${median(other.ms).toFixed(1)} ms`).join(", ")}`);
  // Ten times the tasks and ten times the members; as many rows in view.
  assert.ok(Math.min(...ratios) < 4, `frames of the large run take ${ratios.map((one) => one.toFixed(1))} times those of the small one`);
  await big.close();
  await little.close();
});

test("what happens is seen among 2,000 rows, since what stays as it is is left out", async () => {
  const page = await space.show(large.page);
  const all = rows(large.events);
  assert.equal(await page.isChecked("#only"), true);
  assert.match(await page.textContent("#hidden-hint"), /1,991 copies that stay what they are/);
  const red = await colour(page, "gap");
  for (const gap of gapsOf(all)) {
    const point = await place(page, gap.task, gap.before, (gap.from + gap.to) / 2);
    assert.deepEqual(await pixel(page, point), red, gap.task);
  }
  await page.uncheck("#only");
  assert.equal(await page.evaluate(() => window.segueReport.shown().lanes.layout.places.length), 2009);
  for (let i = 0; i < 4; i++) {
    await page.click("[data-do=taller]");
  }
  await frame(page);
  const last = all[0].tasks.at(-1).id;
  const owner = all.filter((row) => row.event === "run" && row.task === last)[0].member;
  assert.deepEqual(await pixel(page, await place(page, last, owner, 10e6)), await colour(page, "active"));
  assert.equal((await table(page, "members")).length, 101);
  await page.close();
});
