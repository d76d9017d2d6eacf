// SPDX-License-Identifier: Apache-2.0
// What the charts draw, read back from their canvases column by column: lags, load, and the lines of rebalances. What has to
// be there is computed anew from the events (recompute_report.py), places from nothing but the box of the plot.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { colour, EVERYTHING, frame, open, retell, run, simulate, STATIC } from "./support.mjs";

/** Pixels by which a line may be off, and by which its neighbourhood in time is looked at. */
const OFF = 3;
const BESIDE = 2;
const LINES = 8;
const MANY_LINES = 120;

let space;
let page;
let told;
let away;
before(async () => {
  space = await open();
  const [made, other] = [["everything", "scale-down", EVERYTHING], ["static", "learner", STATIC]].map(([name, assignor, document]) =>
    simulate(space, name, ["--assignor", assignor, "-"], JSON.stringify(document)));
  [told, away] = retell(made.events, other.events);
  page = await space.show(made.page, { colorScheme: "light" });
  away.page = await space.show(other.page, { colorScheme: "light" });
});
after(() => space.close());

/** For each column of a plot's pixels the rows that a test of colour finds; and how large the plot is. */
async function columns(opened, chart, how, wanted) {
  await frame(opened);
  return opened.evaluate(([name, way, wantedColour, surface]) => {
    const shown = window.segueReport.shown();
    const u = name === "lag" ? shown.curves[0].u : shown.curves[1].u;
    const { left, top, width, height } = u.bbox;
    const { data } = u.ctx.getImageData(left, top, width, height);
    const found = Array.from({ length: width }, () => []);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const i = (y * width + x) * 4;
        // What is not painted lets the page through.
        const away = Math.hypot(...wantedColour.map((one, j) => surface[j] + ((data[i + j] - surface[j]) * data[i + 3]) / 255 - one));
        if (way === "is" ? away <= 4 : away > 80) {
          found[x].push(y);
        }
      }
    }
    return { found, width, height };
  }, [chart, how, wanted, await colour(opened, "surface")]);
}

/** Where a curve is in a stretch of columns: the least and the largest y, or undefined where it is not. */
function reach(parts, from, to) {
  let least = Infinity;
  let most = -Infinity;
  const take = (y) => {
    least = Math.min(least, y);
    most = Math.max(most, y);
  };
  for (const part of parts) {
    part.forEach(([x, y], i) => {
      if (x >= from && x <= to) {
        take(y);
      }
      const next = part[i + 1];
      for (const edge of [from, to]) {
        if (next && x < edge && edge < next[0]) {
          take(y + ((next[1] - y) * (edge - x)) / (next[0] - x));
        }
      }
    });
  }
  return least <= most ? [least, most] : undefined;
}

const covers = (parts, from, to) => parts.some((part) => part[0][0] <= from && part.at(-1)[0] >= to);

/** Curves in pixels of a plot of this size. `most` is the largest value; a twentieth is left free above it. */
function placed(curves, { width, height }, most, end = told.length_us) {
  return curves.map((parts) => parts.map((part) => part.map(([at, value]) => [(at / end) * width, height * (1 - value / (most * 1.05))])));
}

/**
 * Every pixel that was found belongs to a curve, and every curve is found in every column that it crosses.
 * @returns how many curves there are to be seen
 */
function assertDrawn({ found }, curves, what) {
  let seen = 0;
  found.forEach((rows, x) => {
    const reaches = curves.map((parts) => reach(parts, x - BESIDE, x + 1 + BESIDE)).filter(Boolean);
    for (const y of rows) {
      assert.ok(reaches.some(([least, most]) => y >= least - OFF && y <= most + OFF), `${what}: column ${x} has a line at ${y}, where nothing is (${JSON.stringify(reaches)})`);
    }
    for (const parts of curves) {
      if (covers(parts, x - 1, x + 2)) {
        const [least, most] = reach(parts, x, x + 1);
        assert.ok(rows.some((y) => y >= least - OFF && y <= most + OFF), `${what}: column ${x} has no line at ${least} to ${most}`);
      }
    }
  });
  // One that is steep or short is there all the same, unless there is less of it than a pixel.
  for (const parts of curves) {
    const [from, to] = [parts[0][0][0], parts.at(-1).at(-1)[0]];
    const [least, most] = reach(parts, from, to);
    const near = found.slice(Math.max(0, Math.floor(from) - 1), Math.ceil(to) + 1);
    if (to - from > 1 || most - least > 1) {
      assert.ok(near.some((rows) => rows.some((y) => y >= least - OFF && y <= most + OFF)), `${what}: nothing from column ${from} to ${to}`);
      seen++;
    }
  }
  return seen;
}

/** The way of a row into focus that a reader has; its curves are drawn in front then. */
async function choose(opened, task, member) {
  await opened.evaluate(([wantedTask, wantedMember]) => {
    const { run, lanes, cursor } = window.segueReport.shown();
    const { places } = lanes.layout;
    cursor.choose(places.findIndex((one) => run.members[one.lane.member] === wantedMember && (wantedTask === "" || run.tasks[one.row?.task] === wantedTask)), 0);
  }, [task, member]);
}

const steps = (load) => [load.flatMap(([at, count], i) => [[at, count], [load[i + 1]?.[0] ?? told.length_us, count]])];
const lineOf = (member) => colour(page, `line-${(EVERYTHING.group.members.findIndex(({ id }) => id === member) % LINES) + 1}`);
const chooseNothing = (opened) => opened.evaluate(() => window.segueReport.shown().cursor.key(new KeyboardEvent("keydown", { key: "Escape" })));

test("every lag curve is drawn where the events have it, and nothing else is", async () => {
  for (const [opened, shown, least] of [[page, told, 10], [away.page, away, 2]]) {
    await chooseNothing(opened);
    const drawn = await columns(opened, "lag", "differs", await colour(opened, "surface"));
    const seen = assertDrawn(drawn, placed(shown.lags.map(({ parts }) => parts), drawn, shown.greatest_lag, shown.length_us), "all lags");
    assert.ok(seen >= least, `${seen} curves can be seen`);
  }
});

test("the lag curve of the chosen copy is drawn in front, in its member's colour and in full", async () => {
  assert.ok(away.lags.every(({ parts }) => parts.length === 2), "a process that is away breaks its curves off");
  for (const [opened, shown] of [[page, told], [away.page, away]]) {
    for (const { task, member, parts } of shown.lags) {
      await choose(opened, task, member);
      const drawn = await columns(opened, "lag", "is", await lineOf(member));
      assertDrawn(drawn, placed([parts], drawn, shown.greatest_lag, shown.length_us), `${task} on ${member}`);
    }
  }
});

test("the load of every member is drawn where the events have it, and nothing else is", async () => {
  await chooseNothing(page);
  const drawn = await columns(page, "load", "differs", await colour(page, "surface"));
  const most = Math.max(...Object.values(told.of_members).map((one) => one.most));
  assertDrawn(drawn, placed(Object.values(told.load).map(steps), drawn, most), "all loads");
  for (const [member, load] of Object.entries(told.load)) {
    await choose(page, "", member);
    const own = await columns(page, "load", "is", await lineOf(member));
    assertDrawn(own, placed([steps(load)], own, most), member);
  }
});

/** The columns of the timeline, from its left edge, in which a line stands above the first row of a lane. */
async function lines(opened, member, count) {
  await frame(opened);
  const colours = await Promise.all(["band", "away", "ink"].map((name) => colour(opened, name)));
  return opened.evaluate(([name, [band, away, ink], alpha]) => {
    const { run, lanes } = window.segueReport.shown();
    const { left, top, width } = lanes.u.bbox;
    const lane = lanes.layout.bands.find((one) => run.members[one.lane.member] === name);
    const y = Math.floor(top + (lane.y - 0.12) * lanes.rowHeight);
    const { data } = lanes.u.ctx.getImageData(left, y, width, 1);
    const mixed = [band, away].map((base) => base.map((one, i) => one + (ink[i] - one) * alpha));
    const found = [];
    for (let x = 0; x < width; x++) {
      if (mixed.some((mix) => mix.every((one, i) => Math.abs(one - data[x * 4 + i]) <= 4))) {
        found.push(x);
      }
    }
    return { found, width };
  }, [member, colours, count > MANY_LINES ? 0.3 : 0.55]);
}

/** The columns that the rebalances of a stretch of time fall into. */
function wantedLines(rebalances, from, to, width) {
  const inside = rebalances.map(([at]) => at).filter((at) => at >= from && at <= to);
  return [...new Set(inside.map((at) => Math.round(((at - from) / (to - from)) * width)))].filter((x) => x < width);
}

test("a line stands where each rebalance was, and nowhere else, however near one looks", async () => {
  const { rebalances, length_us: end } = told;
  assert.ok(rebalances.length >= 8, `${rebalances.length} rebalances`);
  for (const [from, to] of [[0, end], [rebalances[1][0] - 1e6, rebalances[1][0] + 60e6], [rebalances[2][0] - 50000, rebalances[3][0] + 50000]]) {
    await page.evaluate(([min, max]) => window.segueReport.shown().view.show(min, max), [from / 1e6, to / 1e6]);
    const { found, width } = await lines(page, "c", rebalances.length);
    assert.deepEqual(found, wantedLines(rebalances, from, to, width), `${from} to ${to}`);
    assert.ok(found.length > 0);
  }
  await page.evaluate(() => window.segueReport.shown().view.show(0, 1e9));
});

test("where there are very many rebalances a line for each column is left of them", async () => {
  const many = simulate(space, "many", ["--preset", "spot-kills", "--assignor", "high-availability"]);
  const [{ rebalances, length_us: end }] = retell(many.events);
  assert.ok(rebalances.length > MANY_LINES, `${rebalances.length} rebalances`);
  const opened = await space.show(many.page, { colorScheme: "light" });
  const first = await opened.evaluate(() => {
    const { run, lanes } = window.segueReport.shown();
    lanes.resize(100);
    lanes.scrollTo(0);
    return run.members[lanes.layout.bands[0].lane.member];
  });
  const { width } = await lines(opened, first, 0);
  const wanted = wantedLines(rebalances, 0, end, width);
  assert.deepEqual((await lines(opened, first, wanted.length)).found, wanted);
  await opened.close();
});

/** What is to be told of a rebalance, as the page has it. */
function sentence([at, cause, moves, least, learners, members, heldBack], number, count) {
  const of = (one, what) => `${one} ${what}${one === 1 ? "" : "s"}`;
  return new RegExp(`^Rebalance ${number} of ${count} at [0-9:.]+, cause: ${cause}; ${of(moves, "move")} \\(at least ${least}\\), ${
    of(learners, "learner")}, ${of(members, "member")}, ${heldBack} held back$`);
}

test("the key r leads to each rebalance in turn, and what it did is said", async () => {
  const { rebalances } = told;
  await page.focus("#lanes-frame");
  await page.keyboard.press("Escape");
  for (const [i, rebalance] of rebalances.entries()) {
    await page.keyboard.press("r");
    const { at, line, said } = await page.evaluate(() => ({
      at: window.segueReport.shown().cursor.chosen.at,
      line: document.querySelector("#lanes .mark-line").getBoundingClientRect().left - document.querySelector("#lanes .u-over").getBoundingClientRect().left,
      said: document.querySelector("#said .rebalance-words").textContent,
    }));
    assert.equal(at, rebalance[0]);
    assert.match(said, sentence(rebalance, i + 1, rebalances.length));
    const wide = await page.evaluate(() => document.querySelector("#lanes .u-over").clientWidth);
    assert.ok(Math.abs(line - (at / told.length_us) * wide) <= 1, `the mark stands at ${line}`);
  }
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Escape");
});

test("the mouse over a line tells of the rebalance, on a bar and between the lanes, and elsewhere it does not", async () => {
  const { rebalances, length_us: end } = told;
  const over = await page.evaluate(() => {
    document.querySelector("#lanes").scrollIntoView({ block: "center" });
    const { left, top, width } = document.querySelector("#lanes .u-over").getBoundingClientRect();
    const { lanes } = window.segueReport.shown();
    const [first, second] = lanes.layout.bands;
    return { left, width, bar: top + (first.y + 0.5) * lanes.rowHeight, between: top + (second.y - 0.25) * lanes.rowHeight };
  });
  const number = rebalances.findIndex(([at], i) => i > 0 && at - rebalances[i - 1][0] > 30e6);
  const x = over.left + (rebalances[number][0] / end) * over.width;
  const tip = async (left, top) => {
    await page.mouse.move(left, top);
    await frame(page);
    return page.evaluate(() => {
      const shown = document.getElementById("tip");
      return shown.hidden ? undefined : { words: shown.querySelector(".rebalance-words")?.textContent, what: shown.querySelector(".what")?.textContent };
    });
  };
  const onBar = await tip(x + 2, over.bar);
  assert.match(onBar.words, sentence(rebalances[number], number + 1, rebalances.length));
  assert.match(onBar.what, / on a, /);
  const between = await tip(x, over.between);
  assert.match(between.words, sentence(rebalances[number], number + 1, rebalances.length));
  assert.equal(between.what, undefined);
  assert.equal((await tip(x - 8, over.bar)).words, undefined);
  assert.equal(await tip(x - 8, over.between), undefined);
});

test("of many rebalances at one time the first are told, and how many there are", async () => {
  const head = { segue: "events/1", name: "at once", assignor: "learner", standbys: 0, acceptable_bytes: 0, tasks: [{ id: "0_0", stateful: true, state_bytes: 1 }], members: [{ id: "a", threads: 1 }] };
  const rebalance = { at_us: 5, event: "rebalance", cause: "joined", moves: 0, min_moves: 0, learners: 0, members: 1, held_back: 0, fallback: true };
  const told = [head, { at_us: 0, event: "up", member: "a" }, { at_us: 0, event: "run", task: "0_0", member: "a" }, ...Array(9).fill(rebalance), { at_us: 9, event: "end" }];
  run(["report", space.write("once.jsonl", told.map((row) => JSON.stringify(row)).join("\n")), "--out", space.file("once.html")]);
  const opened = await space.show(space.file("once.html"));
  await opened.focus("#lanes-frame");
  await opened.keyboard.press("r");
  const said = await opened.$$eval("#said .rebalance-words", (all) => all.map((one) => one.textContent));
  assert.equal(said.length, 4);
  said.slice(0, 3).forEach((one, i) => assert.match(one, new RegExp(`^Rebalance ${i + 1} of 9 .*1 member, 0 held back; the fallback decided$`)));
  assert.equal(said[3], "and 6 more at the same time");
  await opened.close();
});
