# SPDX-License-Identifier: Apache-2.0
"""Asks libsegue for everything, again and again, also from many threads, and gives it all back: for a sanitizer.

LD_PRELOAD=$(gcc -print-file-name=libasan.so) SEGUE_LIBRARY=build/sanitize/libsegue.so.1 python tests/everything.py
"""

from __future__ import annotations

import contextlib
import json
from array import array
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import segue
from segue._program.plan import plan_text

GROUP: dict[str, Any] = {
    "segue": "group/1",
    "subtopologies": [{"id": 0, "partitions": 4}],
    "members": [{"id": "S1", "active": ["0_0", "0_1"]}, {"id": "S2", "active": ["0_2", "0_3"]}, {"id": "S3"}],
}
BAD: list[Any] = [{}, {"segue": "group/1"}, {**GROUP, "x": 1}, {**GROUP, "config": {"segue.x": 1}}, {"segue": None}]


def columns(**changed: Any) -> segue.GroupColumns:
    names = segue.StringTable()
    members = names.handles(["S1", "S2", "S3"])
    given: dict[str, Any] = {
        "subtopology_name": names.handles(["0"]),
        "task_name": names.handles(["0_0", "0_1", "0_2", "0_3"]),
        "task_subtopology": array("I", [0, 0, 0, 0]),
        "task_partition": array("I", [0, 1, 2, 3]),
        "task_stateful": bytes([1, 1, 1, 1]),
        "member_name": members,
        "member_process": array("I", [0, 1, 2]),
        "member_threads": array("I", [1, 1, 1]),
        "process_name": members,
        "copy_start": array("I", [0, 2, 4, 4]),
        "copy_task": array("I", [0, 1, 2, 3]),
        "copy_role": bytes([3, 3, 3, 3]),
        "string_offset": names.offset,
        "string_bytes": names.bytes,
    }
    return segue.GroupColumns(**{**given, **changed})


def once(host: segue.Host) -> None:
    assert host.assign("learner", GROUP).stats.learners == 1
    assert host.assign_recorded("learner", GROUP).frame
    assert host.explain("balanced", GROUP, member="S3")
    assert host.assign_columns("learner", columns(), decisions=True).learners == 1
    assert plan_text(host, "learner", json.dumps(GROUP).encode(), "here", compact=False)[0]
    assert host.plugins()
    assert host.assignors()
    for bad in BAD:
        with contextlib.suppress(segue.InputError):
            host.assign("learner", bad)
        with contextlib.suppress(segue.InputError):
            host.assign_recorded("learner", bad)
        with contextlib.suppress(segue.InputError):
            plan_text(host, "learner", json.dumps(bad).encode(), "here", compact=True)
    for changed in ({"copy_role": bytes(3)}, {"copy_role": bytes([9, 9, 9, 9])}, {"config": {"segue.x": 1}}):
        with contextlib.suppress(segue.InputError):
            host.assign_columns("learner", columns(**changed))
    for name in ("lerner", "x" * 9999):
        with contextlib.suppress(segue.AssignorError):
            host.assign(name, GROUP)
        with contextlib.suppress(segue.AssignorError):
            host.assign_columns(name, columns())
    with contextlib.suppress(segue.PluginError, segue.AssignorError):
        host.load(__file__)


def main() -> None:
    for _ in range(10):
        with segue.load() as host:
            for _ in range(3):
                once(host)
    with segue.load() as host, ThreadPoolExecutor(4) as threads:
        list(threads.map(once, [host] * 12))
    print("everything was asked for, and given back")


if __name__ == "__main__":
    main()
