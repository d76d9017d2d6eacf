#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the document out of a run's lines: table.py LINES > RESULTS.md"""

import json
import sys

HEAD = """\
# segue's assignors beside Kafka's

Made by `tests/bench/run`, all in one run on {machine}; times are milliseconds of processor time
of the call that assigns, with everybody's input ready in memory: Kafka's assignors in Java as their callers call them
(Kafka 4.4.0; what the collector and the compiler do on other threads is not counted), ours in C through the public
slot `assign`. Every cell is the median of {turns} turns, which the assignors take one after the other; in brackets
stands how many times our `balanced` is faster on the same group. Machines differ: compare within one table only.

Groups begin settled, task i on member i modulo the members, one thread each. *fresh*: nobody owned anything; *one
joins*: an empty member more; *one leaves*: the middle one is gone. `memcpy` copies the group's columns once.

The last column says what the time was spent on: the tasks that move in the round in which one joins, and how many are
learned first. `sticky` and Kafka's sticky ones move the least, cold; range deals anew without regard to owners;
Streams sticky leaves the newcomer idle; high-availability warms up two at a time. Ours writes plans without decisions
here. A dash: the call takes more than seconds at that size (Kafka Streams' high-availability keeps a table of tasks x
members), or the assignor knows no standbys.
"""

EVENTS = ["fresh", "stable", "one joins", "one leaves"]


def shape(row):
    return row["tasks"], row["members"], row["topics"], row["standbys"]


def title(tasks, members, topics, standbys):
    text = f"{tasks:,} tasks x {members:,} members"
    text += f", {topics} topics" if topics > 1 else ""
    return text + (f", {standbys} standby" if standbys else "")


def readable(number):
    return f"{number:.3g}" if number < 100 else f"{number:,.0f}"


def cell(row, ours):
    if row is None or ours is None:
        return "-"
    time = row["median_ns"] / 1e6
    text = readable(time)
    if row["assignor"].startswith("segue "):
        return text
    return f"{text} ({readable(row['median_ns'] / ours['median_ns'])})"


def moves(row):
    if row is None or row["assignor"] == "segue memcpy":
        return ""
    learners = row.get("learners", 0)
    return f"{row['moves']:,} move" + (f", {learners} learned" if learners else "")


def table(rows, names):
    by = {(row["assignor"], row["event"]): row for row in rows}
    print("| assignor | " + " | ".join(EVENTS) + " | when one joins |")
    print("|---" * (len(EVENTS) + 2) + "|")
    for name in names:
        mine = [by.get((name, event)) for event in EVENTS]
        cells = [cell(row, by.get(("segue balanced", event))) for event, row in zip(EVENTS, mine, strict=True)]
        print(f"| {name} | " + " | ".join(cells) + f" | {moves(by.get((name, 'one joins')))} |")


def machine():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as info:
            models = [line.partition(":")[2].strip() for line in info if line.startswith("model name")]
    except OSError:
        models = []
    return f"{len(models)} x {models[0]}" if models else "this machine"


def main():
    with open(sys.argv[1], encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    names = list(dict.fromkeys(row["assignor"] for row in rows))
    print(HEAD.format(machine=machine(), turns=7), end="")
    for key in dict.fromkeys(map(shape, rows)):
        print(f"\n## {title(*key)}\n")
        table([row for row in rows if shape(row) == key], names)


if __name__ == "__main__":
    main()
