// SPDX-License-Identifier: Apache-2.0
// Every number of the page against what is computed of the same events without it: by recompute_report.py, and, where there
// is a program that says the same, by that.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { EVERYTHING, here, open, retell, rows, run, simulate, STATIC, table } from "./support.mjs";

const US = 1e6;

const NOBODY_LEFT = {
  segue: "scenario/1", name: "nobody is left", until_ms: 200000,
  group: { segue: "group/1", subtopologies: [{ id: 0, partitions: 2, state_bytes: 1e8 }], members: [{ id: "a" }, { id: "b" }] },
  actions: [{ at_ms: 60000, do: "crash", member: "b" }, { at_ms: 61000, do: "crash", member: "a" }],
};

const CASES = [
  ["scale-out with standbys", ["--preset", "scale-out", "--assignor", "learner", "--standbys", "1"]],
  ["scale-out two at a time", ["--preset", "scale-out", "--assignor", "high-availability"]],
  ["scale-in", ["--preset", "scale-in", "--assignor", "scale-down"]],
  ["a rolling restart", ["--preset", "rolling-restart", "--assignor", "sticky", "--standbys", "1"]],
  ["spot kills", ["--preset", "spot-kills", "--assignor", "balanced", "--standbys", "1", "--tasks", "20"]],
  ["flapping", ["--preset", "flapping", "--assignor", "learner", "--tasks", "20"]],
  ["a swapped fleet", ["--preset", "swap", "--assignor", "balanced"]],
  ["everything", ["--assignor", "scale-down", "-"], EVERYTHING],
  ["static members", ["-"], STATIC],
  ["nobody is left", ["-"], NOBODY_LEFT],
];

/** A group that grows by one, as its host has written it down; lags are records. */
function recorded(space) {
  const member = (id, active, learner = [], lag = {}) => ({ id, active, learner, lag });
  const group = (...members) => JSON.stringify({ segue: "group/1", subtopologies: [{ id: 0, partitions: 3 }], members });
  const all = ["0_0", "0_1", "0_2"];
  const asked = [
    [member("a", all)], [member("a", all), member("b", [])], [member("a", all), member("b", [], ["0_2"], { "0_2": 40000 })],
    [member("a", all), member("b", [], ["0_2"], { "0_2": 50 })], [member("a", ["0_0", "0_1"]), member("b", [], ["0_2"], { "0_2": 0 })],
    [member("a", ["0_0", "0_1"]), member("b", ["0_2"])],
  ];
  const record = space.file("plans.rec");
  for (const members of asked) {
    run(["assign", "--assignor", "learner", "-"], { input: group(...members), env: { ...process.env, SEGUE_RECORD_PATH: record } });
  }
  run(["replay", record, "--report", space.file("recorded.html")]);
  return space.write("recorded.jsonl", eventsIn(space.file("recorded.html")));
}

/** The events inside a page. */
function eventsIn(page) {
  return /id="events">\n([^<]*)</.exec(readFileSync(page, "utf8"))[1].trimEnd();
}

let space;
let page;
let told;
let printed;
before(async () => {
  space = await open();
  const made = CASES.map(([name, words, document]) => simulate(space, name, words, document && JSON.stringify(document)));
  printed = made.map(({ figures }) => figures);
  const files = [...made.map(({ events }) => events), join(here, "demo.jsonl"), recorded(space)];
  run(["report", ...files, "--out", space.file("all.html")]);
  told = retell(...files);
  page = await space.show(space.file("all.html"));
});
after(() => space.close());

/** What was not reached is null in a document, and longer than anything else here. */
const known = (value) => (value === null ? Infinity : value);
const near = (a, b) => a === b || (Number.isFinite(a) && Number.isFinite(b) && Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b)));

async function shown(opened, column = 1) {
  const all = await table(opened, "figures");
  return Object.fromEntries(all.map((cells) => [cells[0].text, Number(cells[column].value)]));
}

function same(shownFigures, wanted, what) {
  assert.deepEqual(Object.keys(shownFigures).sort(), Object.keys(wanted).sort());
  for (const [name, value] of Object.entries(wanted)) {
    assert.ok(near(shownFigures[name], known(value)), `${what}: ${name} is shown as ${shownFigures[name]}, and is ${value}`);
  }
}

/** A number as it is printed, back into what it says: within a unit of its last digit. */
function read(text) {
  const units = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3, TiB: 1024 ** 4 };
  const parts = [...text.replaceAll(",", "").matchAll(/([0-9.]+(?:e-?[0-9]+)?) ?(KiB|MiB|GiB|TiB|B|h|min|s)?/g)].map(([, number, unit]) => [Number(number), unit]);
  if (parts.some(([, unit]) => unit === "h")) {
    return [parts.reduce((sum, [number, unit]) => sum + number * { h: 3600, min: 60 }[unit], 0), 60];
  }
  if (parts.some(([, unit]) => unit === "min")) {
    return [parts.reduce((sum, [number, unit]) => sum + number * { min: 60, s: 1 }[unit], 0), 1];
  }
  const [number, unit] = parts[0];
  return [number * (units[unit] ?? 1), number === 0 ? 1e-4 : Math.max(number * (units[unit] ?? 1) * 6e-3, Number.isInteger(number) && !unit ? 1e-9 : 0)];
}

function assertText(text, value, what) {
  if (known(value) === Infinity) {
    assert.equal(text, "not reached", what);
    return;
  }
  const [number, off] = read(text);
  assert.ok(Math.abs(number - value) <= off, `${what}: ${text} is written for ${value}`);
}

/** A point in time as it is printed, in seconds. */
function assertClock(text, us) {
  const s = text.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
  assert.match(text, us < 600 * US ? /^\d\d:[0-5]\d\.\d\d$/ : /^(\d+:)?[0-5]\d:[0-5]\d$/);
  assert.ok(Math.abs(s - us / US) <= (us < 600 * US ? 0.005 : 0.5) + 1e-9, `${text} is written for ${us} us`);
}

/** What the charts are made of, in the words of recompute_report.py. */
function charts() {
  return page.evaluate(() => {
    const { run, curves, lanes } = window.segueReport.shown();
    const parts = (points) => points.reduce((all, { at, value }) => {
      if (Number.isNaN(value)) {
        all.push([]);
      } else {
        all.at(-1).push([at, value]);
      }
      return all;
    }, []);
    const [lag, load] = curves;
    return {
      lags: lag.curves.map((one) => ({ task: run.tasks[one.task], member: run.members[one.member], parts: parts(one.points) })),
      load: Object.fromEntries(load.curves.map((one) => [run.members[one.member],
        one.points.filter((p, i) => i === 0 || p.value !== one.points[i - 1].value).map((p) => [p.at, p.value])])),
      lagTop: lag.u.scales.y.max,
      bars: run.lanes.flatMap((lane) => lane.rows.flatMap((row) => row.bars.map((bar) => [run.tasks[row.task], run.members[row.member], bar.from, bar.to, bar.kind]))),
      rows: new Set(lanes.layout.places.filter((one) => one.row).map((one) => `${one.row.task} ${one.row.member}`)).size,
    };
  });
}

const sorted = (all) => [...all].map((one) => JSON.stringify(one)).sort();

function assertCurves(drawn, wanted) {
  const byName = (a, b) => (a.task + a.member < b.task + b.member ? -1 : 1);
  const found = [...drawn.lags].sort(byName);
  const lags = [...wanted.lags].sort(byName);
  assert.deepEqual(found.map(({ task, member }) => [task, member]), lags.map(({ task, member }) => [task, member]));
  found.forEach(({ task, member, parts }, i) => {
    assert.deepEqual(parts.map((part) => part.map(([at]) => at)), lags[i].parts.map((part) => part.map(([at]) => at)), `${task} on ${member}`);
    parts.flat().forEach(([at, value], j) => assert.ok(near(value, lags[i].parts.flat()[j][1]), `${task} on ${member} lacks ${value} at ${at}`));
  });
  assert.deepEqual(drawn.load, wanted.load);
  assert.ok(near(drawn.lagTop, (wanted.greatest_lag || 1) * 1.05));
  assert.deepEqual(sorted(drawn.bars), sorted(wanted.bars));
}

async function assertTables(wanted) {
  const texts = (id) => page.evaluate((one) => document.getElementById(one).textContent, id);
  const rebalances = await table(page, "rebalances");
  assert.deepEqual(rebalances.map((cells) => cells.slice(0, 8).map((cell) => cell.value)), wanted.rebalances.slice(0, 500).map((row) => row.map(String)));
  rebalances.forEach((cells, i) => {
    assertClock(cells[0].text, wanted.rebalances[i][0]);
    assert.deepEqual(cells.slice(1, 8).map((cell) => cell.text.replaceAll(",", "")), [...wanted.rebalances[i].slice(1, 7).map(String), wanted.rebalances[i][7] ? "the fallback" : "the assignor"]);
  });
  assertText(await texts("rebalances-hint"), wanted.rebalances.length, "rebalances");
  const gaps = await table(page, "gaps");
  const listed = [...wanted.gaps].sort((a, b) => b.to - b.from - (a.to - a.from)).slice(0, 500);
  const least = listed.length === 500 ? listed[499].to - listed[499].from : 0;
  assert.deepEqual(gaps.map((cells) => Number(cells[1].value)), listed.map((gap) => gap.to - gap.from));
  const known = sorted(wanted.gaps.map((gap) => [gap.task, gap.to - gap.from, gap.from, gap.before || "nobody", gap.after || "not before the end"]));
  for (const [task, length, from, by, then] of gaps) {
    assertText(length.text, Number(length.value) / US, "a gap");
    assertClock(from.text, Number(from.value));
    assert.ok(known.includes(JSON.stringify([task.text, Number(length.value), Number(from.value), by.text, then.text])), `${task.text} ${length.text} from ${from.text}`);
  }
  assert.equal(new Set(gaps.map((cells) => `${cells[0].text} ${cells[2].value}`)).size, gaps.length);
  assert.ok(least === 0 || gaps.length === 500);
  if (wanted.gaps.length > 0) {
    assertText(await texts("gaps-hint"), wanted.gaps.length, "gaps");
  }
  const members = await table(page, "members");
  assert.deepEqual(members.map((cells) => cells[0].text), Object.keys(wanted.of_members));
  for (const [name, ...cells] of members) {
    const { first, most, last, learned, standbys, restored } = wanted.of_members[name.text];
    assert.deepEqual(cells.slice(0, 5).map((cell) => Number(cell.value)), [first, most, last, learned, standbys], name.text);
    assert.ok(near(Number(cells[5].value), restored), name.text);
    cells.forEach((cell) => assertText(cell.text, Number(cell.value), name.text));
  }
}

async function assertHints(wanted, unit) {
  const text = (id) => page.evaluate((one) => document.getElementById(one).textContent, id);
  const [tasks, members, length] = (await text("subtitle")).split(" · ");
  assertText(tasks, wanted.tasks, "tasks");
  assertText(members, wanted.members, "members");
  assertText(length, wanted.length_us / US, "the length");
  const [, copies, most] = /^(.*) copies replay; the largest lag is (.*)\.$/.exec(await text("lag-text"));
  assertText(copies, wanted.lags.length, "copies that replay");
  assertText(unit === "records" ? most.replace(" records", "") : most, wanted.greatest_lag, "the largest lag");
  const [, highest] = /^At most (.*) tasks run on one member/.exec(await text("load-text"));
  assertText(highest, Math.max(...Object.values(wanted.of_members).map((one) => one.most)), "the highest load");
  await page.setChecked("#only", false);
  assert.equal((await charts()).rows, wanted.rows);
  await page.setChecked("#only", true);
  assert.equal((await charts()).rows, wanted.rows - wanted.still);
  if (wanted.still > 0) {
    assertText(await text("hidden-hint"), wanted.still, "copies that stay what they are");
  }
}

/** The cards, each beside the figure that it stands for; the last is another where a task is down in the end. */
async function assertCards(figures) {
  const cards = await page.$$eval("#cards li", (all) => all.map((one) => [one.querySelector("b").textContent, one.querySelector("span").textContent]));
  const [moves, least] = cards[1][0].split(" / ");
  const values = [[cards[0][0], figures.longest_gap_s], [moves, figures.moves], [least, figures.least_moves], [cards[2][0], figures.rebalances],
    [cards[3][0], figures.bytes_restored], [cards[4][0], figures.balance_s], [cards[5][0], figures.tasks_down > 0 ? figures.tasks_down : figures.down_s]];
  values.forEach(([text, value]) => assertText(text, value, "a card"));
  assert.equal(cards[5][1], figures.tasks_down > 0 ? "tasks that nobody runs in the end" : "down, over all tasks");
}

for (const [i, [name]] of [...CASES, ["the demo, sticky"], ["the demo, scale-down"], ["a recording"]].entries()) {
  test(`${name}: every number is what the events say`, async () => {
    const wanted = told[i];
    await page.selectOption("#run", String(i));
    const figures = await shown(page, i + 1);
    same(figures, wanted.figures, "recompute.py");
    if (i < CASES.length) {
      same(figures, printed[i], "the program");
    }
    for (const cells of await table(page, "figures")) {
      assertText(cells[i + 1].text, Number(cells[i + 1].value), cells[0].text);
    }
    await assertCards(wanted.figures);
    await assertTables(wanted);
    await assertHints(wanted, name === "a recording" ? "records" : "bytes");
    await page.setChecked("#only", false);
    assertCurves(await charts(), wanted);
  });
}

test("there is something of everything in what was looked at", () => {
  for (const [what, found] of [
    ["gaps", (one) => one.gaps.length], ["gaps to the end", (one) => one.gaps.filter((gap) => gap.after === "").length],
    ["lags in parts", (one) => one.lags.filter(({ parts }) => parts.length > 1).length], ["lags in records", (one) => Number(one.greatest_lag === 40000)],
    ["copies that stay", (one) => one.still], ["learners", (one) => Object.values(one.of_members).reduce((sum, { learned }) => sum + learned, 0)],
  ]) {
    assert.ok(told.some((one) => found(one) > 0), what);
  }
});

test("a comparison has the table that the program prints, and each run of it by assignor and seed", async () => {
  const file = space.file("compare.html");
  const words = ["compare", "--preset", "spot-kills", "--tasks", "12", "--members", "4", "--assignors", "learner,sticky", "--modes", "eager,stable", "--seeds", "4"];
  const lines = run([...words, "--report", file]).trimEnd().split("\n").slice(4);
  const opened = await space.show(file);
  const plain = (text) => text.replaceAll(",", "");
  const cells = await table(opened, "figures");
  assert.deepEqual(cells.map((row) => `| ${row.slice(0, -1).map(({ text }) => plain(text)).join(" | ")} |`), lines);
  assert.ok(lines.some((line) => / \(.* to .*\)/.test(line)));
  // The medians once more, of the events of each run in the page.
  const all = retell(space.write("compare.jsonl", eventsIn(file)));
  assert.equal(all.length, 16);
  for (const row of cells) {
    row.slice(1, -1).forEach((cell, column) => {
      const values = all.filter((_, i) => i % 4 === column).map(({ figures }) => figures[row[0].text]).sort((a, b) => a - b);
      const [median, least, most] = [(values[1] + values[2]) / 2, values[0], values[3]];
      assert.ok(near(Number(cell.value), median) && near(Number(cell.least), least) && near(Number(cell.most), most), `${row[0].text}: ${cell.text}`);
    });
  }
  assert.match(await opened.textContent("#figures-hint"), /^Medians of 4 runs each/);
  await opened.selectOption("#seed", "3");
  assert.equal(await opened.textContent("#title"), "spot-kills under learner eager, seed 3");
  await opened.selectOption("#run", "3");
  assert.equal(await opened.textContent("#title"), "spot-kills under sticky stable, seed 3");
  assert.equal(await opened.evaluate(() => document.querySelectorAll("#lanes .uplot").length), 1);
  assert.equal((await table(opened, "rebalances")).length, all[11].rebalances.length);
  assert.equal((await opened.evaluate(() => window.segueReport.shown().run.gaps.length)), all[11].gaps.length);
  await opened.close();
});

test("a run without its events counts in the table, and is not offered", async () => {
  const file = space.file("two.html");
  const words = ["compare", "--preset", "scale-out", "--assignors", "learner", "--seeds", "2"];
  run([...words, "--report", file]);
  const [first, second] = retell(space.write("two.jsonl", eventsIn(file)));
  // As the program writes it where there are too many events; another number, so that it is seen.
  const cut = eventsIn(file).split("\n").slice(0, rows(space.file("two.jsonl")).findIndex((row) => row.seed === 2));
  const bare = { segue: "figures/1", assignor: "learner", figures: { seed: 2, ...second.figures, moves: first.figures.moves + 5 } };
  const text = readFileSync(file, "utf8");
  const [head, tail] = [text.slice(0, text.indexOf('id="events">') + 13), text.slice(text.indexOf("</script>", text.indexOf('id="events">')))];
  const opened = await space.show(space.write("bare.html", `${head}${cut.join("\n")}\n${JSON.stringify(bare)}\n${tail}`));
  const moves = (await table(opened, "figures")).find((cells) => cells[0].text === "moves")[1];
  assert.deepEqual([moves.least, moves.most], [first.figures.moves, first.figures.moves + 5].map(String));
  assert.match(await opened.textContent("#figures-hint"), /^Medians of 2 runs each.*of the first 1: the events of more would be too much/);
  assert.equal(await opened.isVisible("#seed"), false);
  await opened.close();
});

test("a live run of the demo says what it is, and so does a recording", async () => {
  await page.selectOption("#run", String(CASES.length));
  assert.match(await page.textContent("#subtitle"), /a live run of the demo/);
  assert.equal(await page.textContent("#title"), "demo under sticky");
  await page.selectOption("#run", String(CASES.length + 2));
  assert.match(await page.textContent("#subtitle"), /from 20\d\d-.* · from a recording/);
});
