#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What packaging/coverage prints: the share of branches and lines of each part that the tests reach.

figures.py --floor PERCENT --files N NAME=SUMMARY...
SUMMARY is what gcovr --json-summary writes about a part. The exit status is 1 when the branches of some part are below
the floor, or when there are none.
"""

import argparse
import json
import pathlib
import sys
from typing import Any


def share(covered: int, total: int) -> float:
    """Rounded down, so that a floor is never met by rounding."""
    return covered * 1000 // total / 10 if total else 0.0


def figures(name: str, report: dict[str, Any]) -> tuple[str, float]:
    """One line about a part, and the share of its branches."""
    shares = {}
    for kind in ("branch", "line"):
        covered, total = report[f"{kind}_covered"], report[f"{kind}_total"]
        shares[kind] = (f"{share(covered, total):5.1f} % ({covered} of {total})", share(covered, total))
    return f"{name:10} branches {shares['branch'][0]}   lines {shares['line'][0]}", shares["branch"][1]


def gaps(reports: list[dict[str, Any]]) -> list[tuple[int, int, str]]:
    """(branches that are not reached, all, file), the largest gap first."""
    rows = (row for report in reports for row in report["files"])
    return sorted(
        ((row["branch_total"] - row["branch_covered"], row["branch_total"], row["filename"]) for row in rows),
        key=lambda gap: (-gap[0], gap[2]),
    )


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--floor", type=float, required=True)
    parser.add_argument("--files", type=int, required=True)
    parser.add_argument("parts", nargs="+", metavar="NAME=SUMMARY")
    options = parser.parse_args(words)
    reports, low = [], False
    for name, _, path in (part.partition("=") for part in options.parts):
        reports.append(json.loads(pathlib.Path(path).read_text(encoding="utf-8")))
        line, reached = figures(name, reports[-1])
        low |= reached < options.floor
        print(line)
    for missing, total, path in gaps(reports)[: options.files]:
        if missing:
            print(f"  {missing:4} of {total:4} branches are not reached in {path}")
    print(f"{'below' if low else 'at or above'} the floor of {options.floor:g} %")
    return int(low)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
