#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Computes the figures of a simulation anew from its events, one function for each, without a line of the program.

recompute.py EVENTS prints them as JSON; the test holds them against what `segue simulate --json` says.
"""

from __future__ import annotations

import itertools
import json
import pathlib
import statistics
import sys
from collections.abc import Callable, Iterator
from typing import Any

US = 1e6
KEEPS_UP = ("standby", "learner", "active")
Event = dict[str, Any]


class Run:
    """The lines of a file of events: its head, the rows, and the tasks in it."""

    def __init__(self, lines: list[str]) -> None:
        self.head = json.loads(lines[0])
        self.events: list[Event] = [json.loads(line) for line in lines[1:]]
        self.tasks = {task["id"]: task for task in self.head["tasks"]}
        self.end_us = self.events[-1]["at_us"]
        assert self.events[-1]["event"] == "end"

    def of(self, *kinds: str) -> Iterator[Event]:
        return (event for event in self.events if event["event"] in kinds)


def runs_of(run: Run) -> dict[str, list[tuple[int, int | None, str, bool]]]:
    """For each task when who processed it: from, to (None: to the end), member, and whether the member was there when
    it stopped.
    """
    found: dict[str, list[tuple[int, int | None, str, bool]]] = {task: [] for task in run.tasks}
    up = set()
    for event in run.events:
        kind, at_us = event["event"], event["at_us"]
        if kind == "up":
            up.add(event["member"])
        elif kind == "down":
            up.discard(event["member"])
        elif kind == "run":
            found[event["task"]].append((at_us, None, event["member"], True))
        elif kind == "stop":
            began_us, _, member, _ = found[event["task"]].pop()
            found[event["task"]].append((began_us, at_us, member, event["member"] in up))
    return found


def gaps_s(run: Run) -> list[float]:
    gaps = []
    for rows in runs_of(run).values():
        ends = [0, *(end for _, end, _, _ in rows)]
        begins = [*(begin for begin, _, _, _ in rows), run.end_us]
        gaps += [(begin - end) / US for begin, end in zip(begins, ends, strict=True) if end is not None]
    return gaps


def changes(run: Run) -> list[tuple[int, bool]]:
    """When a task went on elsewhere, and whether its owner had given it up."""
    found = []
    for rows in runs_of(run).values():
        for before, after in itertools.pairwise(rows):
            if before[2] != after[2]:
                found.append((after[0], before[3]))
    return found


def copies_built(run: Run) -> int:
    there, built = set(), 0
    for event in run.of("role"):
        copy = (event["task"], event["member"])
        whole = run.tasks[event["task"]]["state_bytes"]
        if event["role"] == "none":
            there.discard(copy)
        elif copy not in there:
            there.add(copy)
            built += event["role"] != "dormant" and event["lag_bytes"] >= whole > 0
    return built


def learners(run: Run) -> tuple[int, int]:
    role: dict[tuple[str, str], str] = {}
    began = abandoned = 0
    for event in run.of("role"):
        copy = (event["task"], event["member"])
        began += event["role"] == "learner"
        abandoned += role.get(copy) == "learner" and event["role"] != "active"
        role[copy] = event["role"]
    return began, abandoned


def bytes_wasted(run: Run) -> float:
    """What copies replayed that were put aside before they owned the task."""
    restored: dict[tuple[str, str], float] = {}
    wasted = 0.0
    for event in run.of("restored", "run", "role"):
        copy = (event["task"], event["member"])
        if event["event"] == "restored":
            restored[copy] = restored.get(copy, 0) + event["bytes"]
        elif event["event"] == "run":
            restored[copy] = 0
        elif event["role"] in ("dormant", "none"):
            wasted += restored.pop(copy, 0)
    return wasted


def without_standby_s(run: Run) -> float:
    """Looks at all tasks after each moment at which something changed."""
    role: dict[tuple[str, str], str] = {}
    whole: set[tuple[str, str]] = set()
    up: set[str] = set()
    lacking_us = 0
    for event, following in zip(run.events, run.events[1:], strict=False):
        copy = (event.get("task", ""), event.get("member", ""))
        if event["event"] == "up":
            up.add(event["member"])
        elif event["event"] == "down":
            up.discard(event["member"])
            whole = {one for one in whole if one[1] != event["member"]}
        elif event["event"] == "role":
            role[copy] = event["role"]
            whole.discard(copy)
        elif event["event"] == "whole":
            whole.add(copy)
        length_us = following["at_us"] - event["at_us"]
        if length_us:
            lacking_us += length_us * _lacking(run, role, whole, len(up))
    return lacking_us / US


def _lacking(run: Run, role: dict[tuple[str, str], str], whole: set[tuple[str, str]], up: int) -> int:
    wanted = min(run.head["standbys"], max(up - 1, 0))
    there = dict.fromkeys(run.tasks, 0)
    for task, member in whole:
        there[task] += role[task, member] != "active"
    return sum(there[task] < wanted for task, row in run.tasks.items() if row["stateful"])


def episodes(run: Run) -> list[list[Event]]:
    """The events from one thing done to members to the next. The end of a marked member is part of its mark's."""
    found: list[list[Event]] = [[]]
    marked, began_us = set(), 0
    for event in run.events:
        kind = event["event"]
        begins = kind in ("up", "mark", "unmark") or (kind == "down" and event["member"] not in marked)
        if begins and event["at_us"] != began_us:
            found.append([])
            began_us = event["at_us"]
        if kind == "mark":
            marked.add(event["member"])
        elif kind in ("unmark", "up"):
            marked.discard(event["member"])
        found[-1].append(event)
    return found


def least_moves(run: Run) -> int:
    """The first plan of each episode, without what the one before had left undone."""
    given_up = {(at_us, task) for task, at_us in _planned(run)}
    total = pending = 0
    for rows in episodes(run)[1:]:
        plans = [event["min_moves"] for event in rows if event["event"] == "rebalance"]
        least = plans[0] if plans else 0
        moved = sum((event["at_us"], event.get("task")) in given_up for event in rows if event["event"] == "run")
        total += least - pending
        pending = max(least - moved, 0)
    return total


def _planned(run: Run) -> list[tuple[str, int]]:
    return [
        (task, after[0])
        for task, rows in runs_of(run).items()
        for before, after in itertools.pairwise(rows)
        if before[2] != after[2] and before[3]
    ]


def balance(run: Run) -> tuple[float, float]:
    """The longest episode, from its beginning to its last move, and what its replays take at full bandwidth."""
    last_runner: dict[str, str] = {}
    rate: dict[str, float] = {}
    longest = (0.0, 0.0)
    for number, rows in enumerate(episodes(run)):
        began_us = rows[0]["at_us"] if number else 0
        moved_us, used, best = began_us, dict.fromkeys(rate, 0.0), dict(rate)
        restored: dict[tuple[str, str], float] = {}
        for event in rows:
            copy = (event.get("task", ""), event.get("member", ""))
            if event["event"] == "disk":
                rate[event["member"]] = event["bytes_per_s"]
                best[event["member"]] = max(best.get(event["member"], 0), event["bytes_per_s"])
            elif event["event"] == "restored":
                restored[copy] = restored.get(copy, 0) + event["bytes"]
            elif event["event"] == "role" and event["role"] in ("dormant", "none"):
                restored.pop(copy, None)
            elif event["event"] == "run":
                replayed = restored.pop(copy, 0)
                if last_runner.setdefault(copy[0], copy[1]) != copy[1]:
                    used[copy[1]] = used.get(copy[1], 0) + replayed
                    moved_us = event["at_us"]
                last_runner[copy[0]] = copy[1]
        took_s = (moved_us - began_us) / US
        if took_s > longest[0]:
            longest = (took_s, max((used[member] / best[member] for member in used if member in best), default=0))
    return longest


def is_unsettled(run: Run) -> bool:
    """The end comes while moves are still to come, or tasks are down."""
    unsettled = False
    for event in run.events:
        if event["event"] in ("join", "mark", "unmark"):
            unsettled = True
        elif event["event"] == "rebalance":
            unsettled = event["moves"] < event["min_moves"]
    return unsettled or FIGURES["tasks_down"](run) != 0


def extra_disk_bytes(run: Run) -> float:
    there: set[tuple[str, str]] = set()
    usual = sum(task["state_bytes"] for task in run.tasks.values()) * (1 + run.head["standbys"])
    stored = most = 0
    for event in run.of("role"):
        copy = (event["task"], event["member"])
        size = run.tasks[event["task"]]["state_bytes"]
        if event["role"] == "none":
            there.discard(copy)
            stored -= size
        elif copy not in there:
            there.add(copy)
            stored += size
            most = max(most, stored - usual)
    return most


def estimate_error(run: Run) -> float:
    """Each learner's time to ready against what was to be replayed, at an even share of the member's bandwidth."""
    role: dict[tuple[str, str], str] = {}
    whole: set[tuple[str, str]] = set()
    rate: dict[str, float] = {}
    begun: dict[tuple[str, str], tuple[int, float]] = {}
    estimate: dict[tuple[str, str], tuple[int, float]] = {}
    errors, now_us = [], 0
    for event in run.events:
        if event["at_us"] != now_us:
            for (task, member), (began_us, lag) in begun.items():
                replays = sum(one[1] == member and role[one] in KEEPS_UP and one not in whole for one in role)
                if role[task, member] == "learner" and member in rate:
                    left = max(lag - run.head["acceptable_bytes"], 0)
                    estimate[task, member] = (began_us, left * max(replays, 1) / rate[member])
            begun, now_us = {}, event["at_us"]
        copy = (event.get("task", ""), event.get("member", ""))
        if event["event"] == "disk":
            rate[event["member"]] = event["bytes_per_s"]
        elif event["event"] == "down":
            whole = {one for one in whole if one[1] != event["member"]}
        elif event["event"] == "whole":
            whole.add(copy)
        elif event["event"] == "role":
            role[copy] = event["role"]
            whole.discard(copy)
            if event["role"] == "learner":
                begun[copy] = (now_us, event["lag_bytes"])
                estimate.pop(copy, None)
        elif event["event"] == "ready" and copy in estimate:
            began_us, left_s = estimate[copy]
            took_s = (now_us - began_us) / US
            if took_s > 0:
                errors.append(abs(left_s - took_s) / took_s)
    return statistics.median(errors) if errors else 0.0


FIGURES: dict[str, Callable[[Run], float | None]] = {
    "rebalances": lambda run: sum(1 for _ in run.of("rebalance")),
    "moves": lambda run: sum(planned for _, planned in changes(run)),
    "least_moves": least_moves,
    "failovers": lambda run: sum(not planned for _, planned in changes(run)),
    "copies_built": copies_built,
    "learners": lambda run: learners(run)[0],
    "learners_abandoned": lambda run: learners(run)[1],
    "bytes_restored": lambda run: sum(event["bytes"] for event in run.of("restored")),
    "bytes_wasted": bytes_wasted,
    "down_s": lambda run: sum(gaps_s(run)),
    "tasks_down": lambda run: sum(not rows or rows[-1][1] is not None for rows in runs_of(run).values()),
    "longest_gap_s": lambda run: max(gaps_s(run), default=0),
    "without_standby_s": without_standby_s,
    "balance_s": lambda run: None if is_unsettled(run) else balance(run)[0],
    "balance_bound_s": lambda run: balance(run)[1],
    "extra_disk_bytes": extra_disk_bytes,
    "estimate_error": estimate_error,
    "fallbacks": lambda run: sum(event["fallback"] for event in run.of("rebalance")),
}


def figures(path: pathlib.Path) -> dict[str, float | None]:
    run = Run(path.read_text().rstrip("\n").split("\n"))
    return {name: compute(run) for name, compute in FIGURES.items()}


if __name__ == "__main__":
    print(json.dumps(figures(pathlib.Path(sys.argv[1])), indent=2))
