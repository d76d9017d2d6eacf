# SPDX-License-Identifier: Apache-2.0
"""Scenarios of two members and two tasks, and what a run of one says."""

import copy
import json
import pathlib
import tempfile

from program import run

MB = 1_000_000

# Two tasks of 100 MB on `a`, 50 MB/s: two seconds a task.
PAIR = {
    "segue": "scenario/1",
    "group": {
        "segue": "group/1",
        "config": {"acceptable.recovery.lag": 0},
        "subtopologies": [{"id": 0, "partitions": 2, "state_bytes": 100 * MB}],
        "members": [{"id": "a"}, {"id": "b"}],
    },
    "cluster": {"restore_bytes_per_s": 50 * MB},
    "actions": [{"at_ms": 1000, "do": "start", "member": "b"}],
}


def pair(actions, cluster=None, config=None):
    document = copy.deepcopy(PAIR)
    document["actions"] = actions
    document["cluster"].update(cluster or {})
    document["group"]["config"].update(config or {})
    return document


def play(document, *options):
    """The figures, and the events."""
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
        done = run("simulate", "--json", "--events", file.name, *options, "-", text=json.dumps(document))
        assert done.returncode == 0, done.stderr
        lines = pathlib.Path(file.name).read_text().splitlines()
    return json.loads(done.stdout)["figures"], [json.loads(line) for line in lines[1:]]


def times(events, kind, member=None):
    return [e["at_us"] / 1e6 for e in events if e["event"] == kind and member in (None, e.get("member"))]
