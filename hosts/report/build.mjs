// SPDX-License-Identifier: Apache-2.0
// Makes the page: styles, chart library and code in one file, with a slot where the program puts the events.
// node build.mjs [OUT]; the page in the tree (page.html) is what this makes of the locked packages.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "page.html");
const read = (name) => readFileSync(join(here, name), "utf8");

const bundled = async (entry) => {
  const result = await build({
    entryPoints: [join(here, entry)],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2021",
    charset: "utf8",
    legalComments: "none",
  });
  return result.outputFiles[0].text.trim();
};

const licence = read("node_modules/uplot/LICENSE").trim();
const version = JSON.parse(read("node_modules/uplot/package.json")).version;
const script = (await bundled("src/main.ts")).replaceAll("</script", "<\\/script");
const style = await bundled("src/page.css");
const page = read("src/page.html")
  .replace("/*STYLE*/", () => style)
  .replace("/*SCRIPT*/", () => script)
  .replace("<!--LICENCE-->", () => `<!-- Charts: uPlot ${version}\n\n${licence}\n-->`);
writeFileSync(out, page);
