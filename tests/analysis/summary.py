#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One table of every preset at one size, without and with a standby: summary.py SEGUE

1,000 tasks, 10 members at the beginning; `learner` and `scale-down` beside `high-availability` with its defaults.
Medians of five seeds where chance is in it.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
from statistics import median
from typing import Any

SIZE = ("--tasks", "1000", "--members", "10")
ASSIGNORS = ("learner", "scale-down", "high-availability")
BY_CHANCE = {"spot-kills"}
SEEDS = "5"
HOUR_S = 3600
COLUMNS = (
    "preset",
    "standbys",
    "assignor",
    "rebalances",
    "moves",
    "at least",
    "copies built",
    "given up",
    "hours",
    "x bound",
)


def presets(segue: str) -> list[str]:
    text = subprocess.check_output([segue, "simulate", "--preset", "list"], text=True)
    return [line.split()[0] for line in text.splitlines()]


def compare(segue: str, preset: str, standbys: int) -> list[Any]:
    seeds = ("--seeds", SEEDS) if preset in BY_CHANCE else ()
    command = [segue, "compare", "--json", "--preset", preset, *SIZE, "--standbys", str(standbys), *seeds]
    text = subprocess.check_output([*command, "--assignors", ",".join(ASSIGNORS)], text=True)
    return list(json.loads(text)["columns"])


def row(preset: str, standbys: int, column: Any) -> list[str]:
    def middle(name: str) -> float:
        """What was not reached took longer than anything."""
        return float(median(math.inf if run[name] is None else run[name] for run in column["runs"]))

    bound = middle("balance_bound_s")
    numbers = [
        f"{middle(name):,.0f}" for name in ("rebalances", "moves", "least_moves", "copies_built", "learners_abandoned")
    ]
    took = middle("balance_s")
    times = f"{took / bound:,.2f}" if bound and took < math.inf else "-"
    hours = f"{took / HOUR_S:,.2f}" if took < math.inf else "not reached"
    return [preset, str(standbys), column["assignor"], *numbers, hours, times]


def main() -> None:
    segue = sys.argv[1]
    print("| " + " | ".join(COLUMNS) + " |")
    print("|---" * len(COLUMNS) + "|")
    for preset in presets(segue):
        for standbys in (0, 1):
            for column in compare(segue, preset, standbys):
                print("| " + " | ".join(row(preset, standbys, column)) + " |")


if __name__ == "__main__":
    main()
