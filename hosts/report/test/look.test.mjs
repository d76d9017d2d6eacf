// SPDX-License-Identifier: Apache-2.0
// Dark and light, paper, readers of screens, names that mean harm, and runs in which nothing is.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { colour, frame, open, pixel, place, rows, run, simulate, table } from "./support.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let space;
let made;
before(async () => {
  space = await open();
  made = simulate(space, "run", ["--preset", "scale-in", "--assignor", "scale-down", "--tasks", "40", "--members", "3"]);
});
after(() => space.close());

/** Somewhere in the middle of the first bar of the first row. */
async function firstBar(page) {
  const [head, ...told] = rows(made.events);
  const first = told.find((row) => row.event === "run" && row.task === head.tasks[0].id);
  return pixel(page, await place(page, first.task, first.member, 20e6));
}

test("dark and light follow the system, and the button turns them around", async () => {
  const page = await space.show(made.page, { colorScheme: "light" });
  const light = await colour(page, "active");
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const bright = await background();
  assert.deepEqual(await firstBar(page), light);
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await colour(page, "active");
  assert.notDeepEqual(dark, light);
  assert.deepEqual(await firstBar(page), dark);
  assert.notEqual(await background(), bright);
  await page.click("#theme");
  assert.deepEqual(await firstBar(page), light);
  assert.equal(await background(), bright);
  await page.close();
});

test("paper is light whatever the screen is, and the screen is as before afterwards", async () => {
  const page = await space.show(made.page, { colorScheme: "dark" });
  await page.click("[data-do=taller]");
  const before = await firstBar(page);
  const size = () => page.evaluate(() => [window.segueReport.shown().lanes.u.width, window.segueReport.shown().lanes.rowHeight]);
  const screen = await size();
  await page.evaluate(() => {
    window.addEventListener("beforeprint", () => {
      const { lanes } = window.segueReport.shown();
      const { u } = lanes;
      const { left, top, width: wide } = u.bbox;
      window.printed = { left: lanes.layout.total - lanes.visible(), pixels: [...u.ctx.getImageData(Math.round(left + wide * 0.05), Math.round(top + 6), 1, 1).data], width: u.width };
    });
  });
  const pdf = await page.pdf({ preferCSSPageSize: true, printBackground: true });
  assert.equal(pdf.subarray(0, 5).toString(), "%PDF-");
  assert.ok(pdf.length > 20000, `${pdf.length} bytes`);
  assert.ok(/\/Count [2-9]/.test(pdf.toString("latin1")), "several pages");
  const printed = await page.evaluate(() => window.printed);
  await page.emulateMedia({ media: "print" });
  assert.deepEqual(await colour(page, "active"), printed.pixels.slice(0, 3));
  assert.equal(printed.width, 1000);
  assert.ok(printed.left < 0.01, `${printed.left} rows are not on paper`);
  await page.emulateMedia({ media: "screen" });
  assert.deepEqual(await size(), screen);
  assert.deepEqual(await firstBar(page), before);
  await page.close();
});

for (const [colorScheme, what] of [["light", "run"], ["dark", "comparison"]]) {
  test(`no fault is found by axe in a ${what} in ${colorScheme}`, async () => {
    const comparison = space.file("comparison.html");
    if (what === "comparison") {
      run(["compare", "--preset", "scale-in", "--tasks", "12", "--seeds", "2", "--assignors", "learner,sticky", "--report", comparison]);
    }
    const page = await space.show(what === "run" ? made.page : comparison, { colorScheme });
    await page.focus("#lanes-frame");
    await page.keyboard.press("g");
    // The page's own policy lets nothing in; a debugger may.
    await page.evaluate(AXE);
    const { violations } = await page.evaluate(() => window.axe.run());
    assert.deepEqual(violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(" ")}`), []);
    await page.close();
  });
}

test("a narrow window has no bar to scroll the page sideways", async () => {
  const page = await space.show(made.page, { viewport: { width: 420, height: 800 } });
  const { scroll, inner } = await page.evaluate(() => ({ scroll: document.documentElement.scrollWidth, inner: window.innerWidth }));
  assert.ok(scroll <= inner, `${scroll} > ${inner}`);
  await page.setViewportSize({ width: 1000, height: 800 });
  await frame(page);
  assert.ok(await page.evaluate(() => window.segueReport.shown().lanes.u.width > 700));
  await page.close();
});

test("names are shown as they are, whatever they say", async () => {
  const names = [
    "</script><script>window.harmed=1</script>", "<img src=x onerror=window.harmed=1>", "\"'&amp;`${window.harmed=1}",
    "<!--<script>", "]]>\u2028\u2029", "\u202eright to left", "名前🦭", `long ${"x".repeat(300)}`, "שלום",
  ];
  const shown = names.map((name) => name.replace("\u202e", "[U+202E]"));
  const document = {
    segue: "scenario/1", name: names[0],
    group: { segue: "group/1", subtopologies: [{ id: names[1], partitions: 16, state_bytes: 1e8 }], members: names.map((id) => ({ id })) },
    actions: [{ at_ms: 1000, do: "start", member: names[2] }],
  };
  const hostile = simulate(space, "hostile", ["-"], JSON.stringify(document));
  const page = await space.show(hostile.page);
  assert.deepEqual((await table(page, "members")).map((cells) => cells[0].text).sort(), [...shown].sort());
  const task = rows(hostile.events)[0].tasks[0].id;
  assert.ok(task.startsWith(names[1]));
  await page.focus("#lanes-frame");
  for (const key of ["ArrowDown", "g", "r", "PageDown"]) {
    await page.keyboard.press(key);
  }
  assert.ok((await page.textContent("#said")).includes("<img src=x"));
  const owner = rows(hostile.events).find((row) => row.event === "run" && row.task === task).member;
  const point = await place(page, task, owner, 10e6);
  await page.mouse.move(point.x, point.y);
  await frame(page);
  assert.ok((await page.textContent("#tip")).includes(`${task} on ${owner}`));
  assert.equal(await page.evaluate(() => window.harmed), undefined);
  assert.equal(await page.evaluate(() => document.querySelectorAll("img, script").length), 2);
  assert.equal(await page.textContent("#title"), `${names[0]} under learner`);
  // A name from right to left stands where it is written, and turns nothing behind it around.
  await page.fill("#find", "שלום");
  await page.press("#find", "Enter");
  const [name, clock] = await page.evaluate(() => {
    const text = document.querySelector("#said .what span").firstChild;
    return ["שלום", "00:"].map((part) => {
      const range = document.createRange();
      range.setStart(text, text.data.lastIndexOf(part));
      range.setEnd(text, text.data.lastIndexOf(part) + part.length);
      return range.getBoundingClientRect().left;
    });
  });
  assert.ok(name < clock, `the time stands at ${clock}, the name before it at ${name}`);
  assert.ok(!(await page.evaluate(() => document.body.innerText)).includes("\u202e"));
  await page.close();
});

const HEAD = { segue: "events/1", name: "nothing", assignor: "learner", seed: 1, until_us: 0, standbys: 0, acceptable_bytes: 0 };

const SMALL = [
  ["no task and no member", [], [], []],
  ["tasks that nobody ever has", ["0_0", "0_1"], ["a"], [{ at_us: 0, event: "up", member: "a" }, { at_us: 1000000, event: "end" }]],
  ["an end at once", ["0_0"], ["a"], [{ at_us: 0, event: "up", member: "a" }, { at_us: 0, event: "run", task: "0_0", member: "a" }, { at_us: 0, event: "end" }]],
  ["a head and nothing else", ["0_0"], ["a"], []],
  ["one event alone", ["0_0"], ["a"], [{ at_us: 7, event: "up", member: "a" }]],
  ["events that are cut off", ["0_0"], ["a"], [{ at_us: 0, event: "up", member: "a" }, { at_us: 0, event: "run", task: "0_0", member: "a" }, { at_us: 5000000, event: "stop", task: "0_0", member: "a" }]],
  ["events of tasks and members that the head lacks", ["0_0"], ["a"], [{ at_us: 5, event: "run", task: "9_9", member: "z" }, { at_us: 6, event: "surprise" }, { at_us: 9, event: "end" }]],
];
let small;

for (const [i, [what, tasks, , told]] of SMALL.entries()) {
  test(`a run with ${what} is shown without a fault`, async () => {
    small ??= await showSmall();
    const page = small;
    await page.selectOption("#run", String(i));
    await page.focus("#lanes-frame");
    for (const key of ["ArrowDown", "ArrowRight", "g", "r", "PageUp", "End", "+", "0", "]", "Escape"]) {
      await page.keyboard.press(key);
    }
    assert.equal(await page.textContent("#title"), "nothing under learner");
    assert.equal((await table(page, "figures")).length, 18);
    assert.equal(/cut off/.test(await page.textContent("#subtitle")), told.at(-1)?.event !== "end");
    if (what.startsWith("tasks that nobody")) {
      assert.deepEqual((await table(page, "gaps")).map((cells) => cells.slice(0, 5).map((cell) => cell.text)),
        tasks.map((task) => [task, "1 s", "00:00.00", "nobody", "not before the end"]));
    }
  });
}

/** All of them in one page, each to be chosen. */
async function showSmall() {
  // Put into the page as they are: segue report refuses some of them.
  const lines = SMALL.flatMap(([, tasks, members, told]) => {
    const head = { ...HEAD, tasks: tasks.map((id) => ({ id, stateful: true, state_bytes: 1 })), members: members.map((id) => ({ id, threads: 1 })) };
    return [head, ...told].map((line) => JSON.stringify(line));
  });
  const page = readFileSync(made.page, "utf8").replace(/(id="events">\n)[^<]*/, (_, open) => `${open}${lines.join("\n")}\n`);
  return space.show(space.write("small.html", page));
}

test("a page without events says so", async () => {
  const empty = space.write("empty.html", readFileSync(made.page, "utf8").replace(/(id="events">\n)[^<]*/, "$1"));
  const page = await space.show(empty);
  assert.match(await page.textContent("#problem"), /There is no run in this page/);
  const broken = space.write("broken.html", readFileSync(made.page, "utf8").replace(/(id="events">\n)[^<]*/, "$1{"));
  await page.close();
  const second = await space.show(broken);
  assert.match(await second.textContent("#problem"), /cannot be read/);
  await second.close();
});

test("on a narrow page names are scrolled, not broken within a word", async () => {
  const page = await space.show(made.page);
  await page.setViewportSize({ width: 420, height: 800 });
  const lines = await page.$$eval("#figures tbody th", (cells) => cells.map((cell) => {
    const text = document.createRange();
    text.selectNodeContents(cell);
    return text.getClientRects().length;
  }));
  assert.ok(lines.length > 10, `${lines.length} rows`);
  assert.deepEqual(lines, lines.map(() => 1));
  await page.close();
});
