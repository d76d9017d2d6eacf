#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Computes everything that a report draws and tells anew from its events, without a line of the page.

recompute_report.py EVENTS... prints a line of JSON for each run in the files: figures (recompute.py), bars, gaps, lags,
load, rebalances, members. The tests in hosts/report hold them against what the page shows.
"""

from __future__ import annotations

import json
import pathlib
import sys
from typing import Any

import recompute
from recompute import Event, Run

Copy = tuple[str, str]  # task, member
Stretch = tuple[int, int, str]  # from, to, what it was


def runs_in(path: pathlib.Path) -> list[Run]:
    """Each run of a file, which begins with its head."""
    lines = path.read_text().rstrip("\n").split("\n")
    heads = [number for number, line in enumerate(lines) if "segue" in json.loads(line)]
    return [Run(lines[begin:end]) for begin, end in zip(heads, [*heads[1:], None], strict=True)]


def of_copies(run: Run) -> dict[Copy, list[Event]]:
    """What is told of each copy, and of its member's process since the copy was first heard of."""
    found: dict[Copy, list[Event]] = {}
    processes: dict[str, list[Event]] = {member["id"]: [] for member in run.head["members"]}
    for event in run.events:
        if "task" in event and "member" in event:
            member = event["member"]
            found.setdefault((event["task"], member), list(processes[member])).append(event)
        elif event["event"] in ("up", "down"):
            processes[event["member"]].append(event)
            for copy, told in found.items():
                if copy[1] == event["member"]:
                    told.append(event)
    return found


def kind_of(role: str, runs: bool, up: bool) -> str:
    if not up:
        return ""
    if runs:
        return "active"
    return {"active": "opening", "learner": "learner", "standby": "standby"}.get(role, "")


def bars(told: list[Event], end_us: int) -> list[Stretch]:
    """What a copy was, and when: of what happens at one time the last thing counts."""
    role, runs, up = "none", False, False
    points: dict[int, str] = {0: ""}
    for event in told:
        kind = event["event"]
        role = event["role"] if kind == "role" else role
        runs = kind == "run" or (runs and kind != "stop")
        up = kind == "up" or (up and kind != "down")
        points[event["at_us"]] = kind_of(role, runs, up)
    found: list[Stretch] = []
    for (begin, what), end in zip(points.items(), [*list(points)[1:], end_us], strict=True):
        before = found[-1] if found else (0, 0, "")
        if what and end > begin and before[1:] == (begin, what):
            found[-1] = (before[0], end, what)
        elif what and end > begin:
            found.append((begin, end, what))
    return found


def lag_parts(told: list[Event], end_us: int) -> list[list[tuple[int, float]]]:
    """The curve of what a copy lacks, in parts: one for each role in which it has something to replay, broken off while
    its process is away. Between two words of it the curve is straight.
    """
    parts: list[list[tuple[int, float]]] = []
    role, up, lag, is_open = "none", False, 0.0, False
    for event in [*told, {"event": "end", "at_us": end_us}]:
        kind, at_us = event["event"], event["at_us"]
        said = event.get("lag_bytes", lag)
        if is_open:
            lag_then = {"restored": max(0, lag - event.get("bytes", 0)), "whole": 0, "ready": said, "lag": said}
            if kind in lag_then or kind in ("role", "down", "end"):
                lag = lag_then.get(kind, lag)
                parts[-1].append((at_us, lag))
        role = event.get("role", role)
        up = kind == "up" or (up and kind != "down")
        if kind == "whole":
            lag, is_open = 0, False
        elif kind in ("role", "up", "down") or (kind == "lag" and not is_open):
            lag = said if kind in ("role", "lag") else lag
            is_open = up and lag > 0 and role in recompute.KEEPS_UP
            if is_open:
                parts.append([(at_us, lag)])
    return parts


def gaps(run: Run) -> list[dict[str, Any]]:
    """Every stretch in which nobody processed a task, who did before, and who then ("": nobody before the end)."""
    found = []
    for task, rows in recompute.runs_of(run).items():
        ends = [(0, ""), *((end, member) for _, end, member, _ in rows)]
        begins = [*((begin, member) for begin, _, member, _ in rows), (run.end_us, "")]
        for (from_us, before), (to_us, after) in zip(ends, begins, strict=True):
            if from_us is not None and to_us > from_us:
                found.append({"task": task, "from": from_us, "to": to_us, "before": before, "after": after})
    return found


def loads(run: Run) -> dict[str, list[tuple[int, int]]]:
    """How many tasks each member runs from each time on at which that changes."""
    spans: dict[str, list[tuple[int, int]]] = {member["id"]: [] for member in run.head["members"]}
    for rows in recompute.runs_of(run).values():
        for begin, end, member, _ in rows:
            spans[member].append((begin, run.end_us + 1 if end is None else end))
    return {member: _steps(of_member, run.end_us) for member, of_member in spans.items()}


def _steps(spans: list[tuple[int, int]], end_us: int) -> list[tuple[int, int]]:
    steps: list[tuple[int, int]] = []
    for at_us in sorted({0, *(time for span in spans for time in span if time <= end_us)}):
        count = sum(begin <= at_us < end for begin, end in spans)
        if not steps or steps[-1][1] != count:
            steps.append((at_us, count))
    return steps


def rebalances(run: Run) -> list[list[Any]]:
    keys = ("at_us", "cause", "moves", "min_moves", "learners", "members", "held_back", "fallback")
    return [[event[key] for key in keys] for event in run.of("rebalance")]


def row_of(gap: dict[str, Any]) -> Copy:
    """Where a gap is drawn: with whoever ran the task before, else who ran it then, else in a lane of nobody's."""
    return (gap["task"], gap["before"] or gap["after"] or "nobody")


def report(run: Run) -> dict[str, Any]:
    copies = of_copies(run)
    bars_of = {copy: bars(told, run.end_us) for copy, told in copies.items()}
    all_bars = [(*copy, *stretch) for copy, stretches in bars_of.items() for stretch in stretches]
    lags = {copy: parts for copy, told in copies.items() if (parts := lag_parts(told, run.end_us))}
    all_gaps = gaps(run)
    interrupted = {row_of(gap) for gap in all_gaps}
    rows = {copy for copy, stretches in bars_of.items() if stretches} | interrupted
    still = [
        copy
        for copy in rows - interrupted
        if len(bars_of[copy]) == 1 and bars_of[copy][0][0] == 0 and bars_of[copy][0][1] == run.end_us
    ]
    load = loads(run)
    return {
        "tasks": len(run.tasks),
        "members": len(load),
        "length_us": run.end_us,
        "figures": {name: compute(run) for name, compute in recompute.FIGURES.items()},
        "bars": all_bars,
        "rows": len(rows),
        "still": len(still),
        "gaps": all_gaps,
        "lags": [{"task": copy[0], "member": copy[1], "parts": parts} for copy, parts in lags.items()],
        "greatest_lag": max((lag for parts in lags.values() for part in parts for _, lag in part), default=0),
        "load": load,
        "rebalances": rebalances(run),
        "of_members": {
            member: {
                "first": steps[0][1],
                "most": max(count for _, count in steps),
                "last": steps[-1][1],
                "learned": sum(row[1] == member and row[4] == "learner" for row in all_bars),
                "standbys": sum(row[1] == member and row[4] == "standby" for row in all_bars),
                "restored": sum(event["bytes"] for event in run.of("restored") if event["member"] == member),
            }
            for member, steps in load.items()
        },
    }


if __name__ == "__main__":
    for name in sys.argv[1:]:
        for one in runs_in(pathlib.Path(name)):
            print(json.dumps(report(one)))
