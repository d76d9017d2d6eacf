# SPDX-License-Identifier: Apache-2.0
"""Whether every link between the project's own pages leads somewhere: to a file, and to a heading in it.

    links.py

Looks at every *.md outside what is built. The last line is 'N passed, N failed', a link each.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MADE = {"build", "node_modules", "target"}
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)


def pages() -> list[pathlib.Path]:
    return [page for page in sorted(ROOT.rglob("*.md")) if MADE.isdisjoint(page.relative_to(ROOT).parts)]


def anchors(page: pathlib.Path) -> set[str]:
    """The names that a renderer gives the headings: lower case, words joined by hyphens, letters and digits alone."""
    headings = HEADING.findall(FENCED.sub("", page.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def fault(page: pathlib.Path, link: str) -> str | None:
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    if not target.is_relative_to(ROOT):
        return "leads out of the project"
    if not target.exists():
        return "there is no such file"
    if anchor and anchor not in anchors(target):
        return f"no such heading; there are {', '.join(sorted(anchors(target)))}"
    return None


def main() -> int:
    passed = failed = 0
    for page in pages():
        for link in LINK.findall(FENCED.sub("", page.read_text(encoding="utf-8"))):
            if re.match(r"[a-z]+:", link):
                continue
            if found := fault(page, link):
                failed += 1
                print(f"FAIL {page.relative_to(ROOT)}: {link}: {found}")
            else:
                passed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
