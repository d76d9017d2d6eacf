#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a plan costs in Python: by columns and by documents, each beside the bare call into libsegue.

bench.py [--assignor NAME] [--tasks N] [--members M] [--repeats N]

The group is settled but for one member that has just joined. Times are milliseconds, medians of the repeats; machines
differ, so compare within one run. `over C` is what the interface costs beyond `segue_host_assign` on ready columns.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import statistics
import time
from array import array
from collections.abc import Callable
from typing import Any

import segue
from segue import _abi
from segue._buffers import Loan
from segue._group_columns import lend
from segue._plan_columns import PlanRoom


def columns(tasks: int, members: int) -> segue.GroupColumns:
    """Task i on member i modulo those that were there before."""
    owners = max(members - 1, 1)
    strings = segue.StringTable()
    start, held = array("I", [0]), array("I")
    for member in range(members):
        held.extend(range(member, tasks, owners) if member < owners else ())
        start.append(len(held))
    names = strings.handles(f"m{member:06}" for member in range(members))
    return segue.GroupColumns(
        subtopology_name=strings.handles(["0"]),
        task_name=strings.handles(f"0_{task}" for task in range(tasks)),
        task_subtopology=array("I", bytes(4 * tasks)),
        task_partition=array("I", range(tasks)),
        task_stateful=b"\1" * tasks,
        member_name=names,
        member_process=array("I", range(members)),
        member_threads=array("I", [1]) * members,
        process_name=names,
        copy_start=start,
        copy_task=held,
        copy_role=b"\3" * len(held),
        string_offset=strings.offset,
        string_bytes=strings.bytes,
    )


def document(tasks: int, members: int) -> dict[str, Any]:
    """The same group."""
    owners = max(members - 1, 1)
    active = [[f"0_{task}" for task in range(member, tasks, owners)] for member in range(owners)]
    active += [[] for _ in range(members - owners)]
    rows = [{"id": f"m{member:06}", "active": held} for member, held in enumerate(active)]
    return {"segue": "group/1", "subtopologies": [{"id": 0, "partitions": tasks}], "members": rows}


def median(repeats: int, step: Callable[[], object]) -> float:
    taken = []
    for _ in range(repeats + 1):
        start = time.perf_counter()
        step()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken[1:]) * 1e3


def time_columns(host: segue.Host, name: str, group: segue.GroupColumns, repeats: int, decisions: bool) -> list[float]:
    """Whole, bare call, encode, decode."""
    config = host._configuration({})
    bound = _abi.segue_bound(size=ctypes.sizeof(_abi.segue_bound))
    with Loan() as loan, host._use() as address:
        struct = lend(group, loan)
        host._api.segue_host_bound(ctypes.byref(struct), ctypes.byref(config), ctypes.byref(bound))
        room = PlanRoom(struct.task_count, bound, decisions=decisions)

        def call() -> None:
            # As a C caller, who keeps the room for the next plan.
            room.struct.standby_capacity = bound.standby_rows
            room.struct.decision_capacity = bound.decision_rows if decisions else 0
            host._api.segue_host_assign(
                address,
                name.encode(),
                ctypes.byref(struct),
                ctypes.byref(config),
                ctypes.byref(room.struct),
                None,
                None,
            )

        bare = median(repeats, call)
        report = host.assign_columns(name, group).report
        decode = median(repeats, lambda: room.read(report))
    whole = median(repeats, lambda: host.assign_columns(name, group, decisions=decisions))
    return [whole, bare, median(repeats, lambda: encode(host, group, bound, decisions)), decode]


def encode(host: segue.Host, group: segue.GroupColumns, bound: _abi.segue_bound, decisions: bool) -> None:
    host._configuration(group.config)
    with Loan() as loan:
        PlanRoom(lend(group, loan).task_count, bound, decisions=decisions)


def time_documents(host: segue.Host, name: str, group: dict[str, Any], repeats: int) -> list[float]:
    """Whole, call, encode, decode."""
    text = json.dumps(group)
    plan, _ = host.assign_json(name, text)
    call = median(repeats, lambda: host.assign_json(name, text))
    return [
        median(repeats, lambda: host.assign(name, group)),
        call,
        median(repeats, lambda: json.dumps(group)),
        median(repeats, lambda: json.loads(plan)),
    ]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--assignor", default="learner")
    parser.add_argument("--tasks", type=int, default=100_000)
    parser.add_argument("--members", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=15)
    options = parser.parse_args(arguments)
    tasks, members, repeats, name = options.tasks, options.members, options.repeats, options.assignor
    with segue.load() as host:
        group = columns(tasks, members)
        rows = {
            "columns": time_columns(host, name, group, repeats, False),
            "columns, decisions": time_columns(host, name, group, repeats, True),
            "documents": time_documents(host, name, document(tasks, members), repeats),
        }
        rows["documents"][1:1] = [rows["columns, decisions"][1]]
    print(f"{name}, {tasks:,} tasks x {members:,} members, milliseconds")
    print(f"{'interface':<20}{'whole':>9}{'over C':>9}{'encode':>9}{'call':>9}{'decode':>9}")
    for row, (whole, bare, *parts) in rows.items():
        call, *ends = parts if len(parts) == 3 else (bare, *parts)
        print(f"{row:<20}{whole:9.3f}{whole - bare:9.3f}{ends[0]:9.3f}{call:9.3f}{ends[1]:9.3f}")


if __name__ == "__main__":
    main()
