#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A live run of the demo beside a simulation that is fed with its sizes, rates and times: do they tell the same?

fidelity.py SEGUE FOLDER_OF_KAFKA_JARS; the demo's jar stands beside that folder. Ends with 77 where none is.
fidelity.py SEGUE --events FILE compares with a run that is over (segue-demo --assignor scale-down --events FILE).

The same moves and learners, as many rebalances (a drain may have one more), and times within the errors that stand
below. Where others want the machine as well, a live run takes longer and asks more often: the errors grow with that.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
from typing import Any

from witness import Witness

SKIPPED = 77
US = 1e6
PATIENCE_S, DEADLINE_S = 1700, 600
# Small enough for a test, and slowed down so that learning takes some seconds.
HEARTBEAT_MS, RATE, PAYLOAD, RECOVERY_LAG = 1000, 50, 512, 500
DEMO = {
    "--assignor": "scale-down",
    "--ways": "drain",
    "--instances": 3,
    "--partitions": 6,
    "--state-mb": 24,
    "--heartbeat-ms": HEARTBEAT_MS,
    "--rate": RATE,
    "--payload-bytes": PAYLOAD,
    "--recovery-lag": RECOVERY_LAG,
    "--restore-delay-us": 200,
    "--deadline-s": DEADLINE_S,
}
# Starting a JVM's worth of threads and stores is not simulated, nor is a machine that does other things as well.
BALANCE_ERROR_S, BALANCE_ERROR_PART, GAP_ERROR_S = 8.0, 0.35, 2.5
# An instance that drains asks again when nobody has seemed to hear it, which is not simulated.
REBALANCES_MORE = {"up": 0, "mark": 1}

Event = dict[str, Any]


class Run:
    """The events of a run, cut into episodes: what was done to a member, and what came of it."""

    def __init__(self, path: pathlib.Path) -> None:
        lines = path.read_text(encoding="utf-8").splitlines()
        self.head = json.loads(lines[0])
        self.events: list[Event] = [json.loads(line) for line in lines[1:]]
        self.begins = [
            (event["at_us"], event["event"], event["member"])
            for event in self.events
            if event["event"] == "mark" or (event["event"] == "up" and event["at_us"] > 0)
        ]

    def episode(self, index: int) -> Episode:
        begin = self.begins[index][0]
        end = self.begins[index + 1][0] if index + 1 < len(self.begins) else float("inf")
        return Episode(self.events, begin, end)


class Episode:
    """The figures of one."""

    def __init__(self, events: list[Event], begin: float, end: float) -> None:
        owner: dict[str, str] = {}
        stopped: dict[str, float] = {}
        self.moves: dict[str, tuple[str, str]] = {}
        self.learners: set[tuple[str, str]] = set()
        self.rebalances = 0
        self.gap_s = self.balance_s = 0.0
        for event in events:
            inside = begin <= event["at_us"] < end
            kind, task = event["event"], event.get("task", "")
            if kind == "stop":
                stopped[task] = event["at_us"]
            elif kind == "run":
                if inside and task in stopped:
                    self.gap_s = max(self.gap_s, (event["at_us"] - stopped[task]) / US)
                if inside and owner.get(task, event["member"]) != event["member"]:
                    self.moves[task] = (owner[task], event["member"])
                    self.balance_s = (event["at_us"] - begin) / US
                owner[task] = event["member"]
            elif kind == "role" and event["role"] == "learner" and inside:
                self.learners.add((task, event["member"]))
            elif kind == "rebalance" and inside:
                self.rebalances += 1

    def shares(self) -> dict[str, int]:
        """How many tasks each member has got."""
        counts: dict[str, int] = {}
        for _, to in self.moves.values():
            counts[to] = counts.get(to, 0) + 1
        return counts


def restore_rate(run: Run) -> float:
    """Bytes a second of a member that learns, from its first byte to its last: the mean."""
    begun: dict[str, float] = {}
    spells: dict[tuple[str, float], tuple[float, float]] = {}
    for event in run.events:
        member = event.get("member", "")
        if event["event"] == "role" and event["role"] == "learner":
            begun.setdefault(member, event["at_us"])
        elif event["event"] == "restored" and member in begun:
            spell = (member, begun[member])
            size, _ = spells.get(spell, (0.0, 0.0))
            spells[spell] = (size + event["bytes"], (event["at_us"] - begun[member]) / US)
        elif event["event"] == "run":
            begun.pop(member, None)
    rates = [size / seconds for size, seconds in spells.values() if seconds > 0]
    assert rates, "nobody learnt anything"
    return sum(rates) / len(rates)


def cleanup_ms(run: Run) -> int:
    """How long a copy without a role lay there before it was deleted."""
    put_aside: dict[tuple[str, str], int] = {}
    delays = []
    for event in run.events:
        if event["event"] == "role":
            copy = (event["task"], event["member"])
            if event["role"] == "none" and copy in put_aside:
                delays.append(event["at_us"] - put_aside[copy])
            put_aside[copy] = event["at_us"]
    return min(delays) // 1000 if delays else 600_000


def scenario(run: Run) -> Any:
    """What was so, and what was done, as a scenario."""
    tasks = [{"id": task["id"], "state_bytes": task["state_bytes"]} for task in run.head["tasks"]]
    first = next(event["member"] for event in run.events if event["event"] == "up")
    owned = [task["id"] for task in tasks]
    members = [
        {"id": row["id"], "threads": row["threads"], **({"active": owned} if row["id"] == first else {})}
        for row in run.head["members"]
    ]
    word = {"up": "start", "mark": "drain"}
    return {
        "segue": "scenario/1",
        "name": "as the demo",
        "group": {
            "segue": "group/1",
            "config": {"acceptable.recovery.lag": RECOVERY_LAG},
            "tasks": tasks,
            "members": members,
        },
        "cluster": {
            "rebalance_ms": HEARTBEAT_MS * 11 // 10,
            "restore_bytes_per_s": restore_rate(run),
            "write_bytes_per_s": RATE * PAYLOAD,
            "record_bytes": PAYLOAD,
            "state_cleanup_delay_ms": cleanup_ms(run),
        },
        "actions": [{"at_ms": at_us // 1000, "do": word[kind], "member": member} for at_us, kind, member in run.begins],
    }


def simulate(segue: str, document: Any) -> Run:
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
        subprocess.run(
            [segue, "simulate", "--assignor", "scale-down", "--events", file.name, "-"],
            input=json.dumps(document),
            check=True,
            stdout=subprocess.DEVNULL,
            text=True,
        )
        return Run(pathlib.Path(file.name))


def compare(live: Run, simulated: Run, stretch: float) -> int:
    """Prints both side by side; how many figures differ by more than they may on a machine so much slower."""
    faults = 0
    for index, (_, kind, member) in enumerate(live.begins):
        is_, was = simulated.episode(index), live.episode(index)
        gap_may = GAP_ERROR_S * stretch
        balance_may = BALANCE_ERROR_S * stretch + BALANCE_ERROR_PART * was.balance_s
        rows = [
            ("moves", len(was.moves), len(is_.moves), 0),
            ("shares", sorted(was.shares().values()), sorted(is_.shares().values()), None),
            ("learners", len(was.learners), len(is_.learners), 0),
            ("rebalances", was.rebalances, is_.rebalances, REBALANCES_MORE[kind] + int(stretch - 1)),
            ("longest gap, s", round(was.gap_s, 2), round(is_.gap_s, 2), gap_may),
            ("balanced after, s", round(was.balance_s, 1), round(is_.balance_s, 1), balance_may),
        ]
        print(f"{member}: {kind}")
        for name, real, told, may in rows:
            agrees = real == told if may is None else abs(real - told) <= may  # type: ignore[operator]
            faults += not agrees
            print(f"  {name:20} live {real!s:>10}  simulated {told!s:>10}{'' if agrees else '  DIFFERS'}")
    return faults


def run_demo(jar: pathlib.Path, folder: pathlib.Path) -> tuple[pathlib.Path, float]:
    """Its events, and how much slower the machine was."""
    events = folder / "events.jsonl"
    options = ["--drain", *(str(part) for pair in DEMO.items() for part in pair)]
    command = ["java", "-Xmx1g", "-jar", str(jar), *options, "--events", str(events), "--work-dir", str(folder)]
    with Witness() as witness:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    print(f"others wanted the machine as well: what takes a second took {witness.stretch:.1f}")
    if done.returncode != 0:
        sys.exit(f"the demo ended with {done.returncode}: {done.stdout[-3000:]}{done.stderr[-2000:]}")
    return events, witness.stretch


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("segue")
    parser.add_argument("jars", nargs="?", type=pathlib.Path)
    parser.add_argument("--events", type=pathlib.Path)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        events, stretch = wanted.events, 1.0
        if events is None:
            jar = wanted.jars.parent / "segue-demo.jar"
            if not jar.exists():
                print(f"skipped: no {jar}")
                sys.exit(SKIPPED)
            events, stretch = run_demo(jar, pathlib.Path(folder))
        live = Run(events)
        faults = compare(live, simulate(wanted.segue, scenario(live)), stretch)
    print(f"{faults} figures differ")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
