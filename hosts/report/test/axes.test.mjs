// SPDX-License-Identifier: Apache-2.0
// What stands at the charts' axes, read back as it was painted. Each label is turned back into what it says, and has to stand
// where that is: by nothing but the box of the plot, the stretch of time that was asked for, and values computed anew from the
// events (recompute_report.py).
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { EVERYTHING, frame, open, retell, simulate, STATIC } from "./support.mjs";

/** Pixels by which the middle of a label may be off: signs reach above the line further than below it. */
const OFF = { x: 2, y: 4 };
const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

/** Its last crash is after four days. */
const LONG = { ...STATIC, actions: STATIC.actions.map((one, i) => (i === 2 ? { ...one, at_ms: 4 * 86400e3 } : one)) };

let space;
let runs;
before(async () => {
  space = await open();
  const made = [["everything", "scale-down", EVERYTHING], ["long", "learner", LONG]].map(([name, assignor, document]) =>
    simulate(space, name, ["--assignor", assignor, "-"], JSON.stringify(document)));
  const told = retell(...made.map(({ events }) => events));
  runs = await Promise.all(made.map(async ({ page }, i) => ({ told: told[i], page: await space.show(page, { onLoad: keepTexts }) })));
});
after(() => space.close());

/** In the page, before all else: each canvas has the texts that were painted since it was last cleared. */
function keepTexts() {
  const { fillText, clearRect } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.clearRect = function (x, y, width, height) {
    if (x <= 0 && y <= 0 && width >= this.canvas.width && height >= this.canvas.height) {
      this.canvas.texts = [];
    }
    clearRect.call(this, x, y, width, height);
  };
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
    const size = this.measureText(text);
    const at = this.getTransform().transformPoint({
      x: x + (size.actualBoundingBoxRight - size.actualBoundingBoxLeft) / 2,
      y: y + (size.actualBoundingBoxDescent - size.actualBoundingBoxAscent) / 2,
    });
    const high = size.actualBoundingBoxAscent + size.actualBoundingBoxDescent;
    (this.canvas.texts ??= []).push({ text, x: at.x, y: at.y, wide: size.width, high });
    fillText.call(this, text, x, y);
  };
}

/** The labels of each chart below and at the left of its plot, as far as they are still to be seen; and the box of the plot. */
async function labels(page) {
  await frame(page);
  return page.evaluate(() => {
    const { lanes, curves } = window.segueReport.shown();
    const read = ({ u }) => {
      const box = { left: u.bbox.left, top: u.bbox.top, right: u.bbox.left + u.bbox.width, bottom: u.bbox.top + u.bbox.height };
      const { texts, width, height } = u.ctx.canvas;
      const { data } = u.ctx.getImageData(0, 0, width, height);
      const isPainted = ({ x, y, wide, high }) => {
        for (let row = Math.round(y - high / 2); row < y + high / 2; row++) {
          for (let column = Math.round(x - wide / 2); column < x + wide / 2; column++) {
            if (data[(row * width + column) * 4 + 3] > 128) {
              return true;
            }
          }
        }
        return false;
      };
      const painted = texts.filter(isPainted);
      return { box, below: painted.filter(({ y }) => y > box.bottom + 8), beside: painted.filter(({ x, y }) => x < box.left && y < box.bottom + 8) };
    };
    return { lanes: read(lanes), lag: read(curves[0]), load: read(curves[1]) };
  });
}

/** "1:05", "0:00.25", "2:00:00", "1:30 h" or "12 h" in seconds. */
function secondsOf(label) {
  const [, clock, hours] = /^([0-9:.]+)( h)?$/.exec(label) ?? assert.fail(`no time: ${label}`);
  const parts = clock.split(":").map(Number);
  return parts.reduce((sum, one) => sum * 60 + one, 0) * (hours ? 3600 / 60 ** (parts.length - 1) : 1);
}

/** "1.5 GiB" as a number. */
function bytesOf(label) {
  const [, number, unit] = /^([0-9.]{1,5}) (\w+)$/.exec(label) ?? assert.fail(`no bytes: ${label}`);
  assert.ok(UNITS.includes(unit), label);
  return Number(number) * 1024 ** UNITS.indexOf(unit);
}

function countOf(label) {
  assert.match(label, /^\d+$/);
  return Number(label);
}

/** Two at least, each where what it says is, none like another and none into another. */
function assertScale(found, what, read, along, size, wanted) {
  assert.ok(found.length >= 2, `${what}: ${found.length} labels`);
  assert.equal(new Set(found.map(({ text }) => text)).size, found.length, `${what}: ${found.map(({ text }) => text)}`);
  for (const one of found) {
    const place = wanted(read(one.text));
    assert.ok(Math.abs(one[along] - place) <= OFF[along], `${what}: ${one.text} stands at ${one[along]}, where it is ${place}`);
  }
  const sorted = [...found].sort((a, b) => a[along] - b[along]);
  sorted.slice(1).forEach((one, i) => assert.ok(one[along] - sorted[i][along] >= (one[size] + sorted[i][size]) / 2,
    `${what}: ${sorted[i].text} and ${one.text} touch`));
}

function assertTimes({ box, below }, from, to, what) {
  assertScale(below, what, secondsOf, "x", "wide", (at) => box.left + ((at - from) / (to - from)) * (box.right - box.left));
}

/** The largest value stands a twentieth below the upper edge. */
function assertValues({ box, beside }, read, most, what) {
  assertScale(beside, what, read, "y", "high", (value) => box.bottom - (value / (most * 1.05)) * (box.bottom - box.top));
}

test("the times below each chart stand where they are, however near one looks", async () => {
  for (const { page, told } of runs) {
    const end = told.length_us / 1e6;
    for (const [from, to] of [[0, end], [end / 7, end / 2], [Math.max(end - 9000, 0), end], [end - 300, end - 60], [61.5, 64], [30, 30.004], [0, 0.00002]]) {
      await page.evaluate(([first, last]) => window.segueReport.shown().view.show(first, last), [from, to]);
      for (const [name, chart] of Object.entries(await labels(page))) {
        assertTimes(chart, from, to, `${name} from ${from} to ${to}`);
      }
    }
    await page.evaluate(() => window.segueReport.shown().view.show(0, 1e9));
  }
});

test("the bytes beside the lags and the tasks beside the loads stand where they are", async () => {
  for (const { page, told } of runs) {
    const { lag, load } = await labels(page);
    assertValues(lag, bytesOf, told.greatest_lag, "lag");
    assertValues(load, countOf, Math.max(...Object.values(told.of_members).map(({ most }) => most)), "load");
  }
});

test("the name beside each lane is its member's, in the middle of what is seen of it", async () => {
  for (const { page, told } of runs) {
    const { box, beside } = (await labels(page)).lanes;
    const bands = await page.evaluate(() => {
      const { run, lanes } = window.segueReport.shown();
      return lanes.layout.bands.map(({ lane, y, rows }) => ({ name: run.members[lane.member], middle: (y + rows / 2) * lanes.rowHeight }));
    });
    assert.deepEqual(beside.map(({ text }) => text), Object.keys(told.of_members));
    bands.forEach(({ name, middle }, i) => {
      assert.equal(beside[i].text, name);
      assert.ok(Math.abs(beside[i].y - box.top - middle) <= OFF.y, `${name} stands at ${beside[i].y - box.top}, its lane at ${middle}`);
    });
  }
});
