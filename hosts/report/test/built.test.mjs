// SPDX-License-Identifier: Apache-2.0
// The page in the tree is what the build makes of the locked packages, and it asks for nothing.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { here } from "./support.mjs";

const folder = join(here, "..");
const page = readFileSync(join(folder, "page.html"), "utf8");

test("page.html is what npm run build makes", () => {
  const scratch = mkdtempSync(join(tmpdir(), "segue-page-"));
  execFileSync("node", [join(folder, "build.mjs"), join(scratch, "page.html")]);
  assert.ok(readFileSync(join(scratch, "page.html"), "utf8") === page, "run npm ci and npm run build in hosts/report, and commit page.html");
  rmSync(scratch, { recursive: true });
});

test("the types are right", () => {
  execFileSync("node", [join(folder, "node_modules/typescript/bin/tsc"), "-p", folder]);
});

test("nothing is loaded from anywhere, and the page's own policy would not let it", () => {
  assert.match(page, /Content-Security-Policy" content="default-src 'none';/);
  assert.doesNotMatch(page, /(src|href)\s*=\s*["']?(https?:)?\/\//);
  assert.doesNotMatch(page, /\b(fetch|XMLHttpRequest|WebSocket|EventSource|sendBeacon|import)\s*\(/);
  assert.equal(page.split("<!--EVENTS-->").length, 2);
});

test("the licence of what is inlined is in the page, and the lock file names no registry", () => {
  const { version } = JSON.parse(readFileSync(join(folder, "node_modules/uplot/package.json"), "utf8"));
  assert.ok(page.includes(`uPlot ${version}`) && page.includes("The MIT License"));
  const lock = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
  const packages = Object.entries(lock.packages).filter(([name]) => name !== "");
  assert.ok(packages.length > 5);
  for (const [name, about] of packages) {
    assert.equal(about.resolved, undefined, name);
    assert.match(about.integrity, /^sha512-/, name);
  }
});
