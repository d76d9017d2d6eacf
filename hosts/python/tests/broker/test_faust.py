# SPDX-License-Identifier: Apache-2.0
"""Workers of Faust against a real broker: ours, and ours beside Faust's own."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("faust", reason="faust-streaming is not there for this Python")
pytest.importorskip("rocksdict", reason="rocksdict is not there for this Python")

from cluster import Cluster

from broker.draining import run
from broker.faust_workers import PARTITIONS, FaustWorkers
from broker.process import wait_for

names = itertools.count(1)


@pytest.fixture
def workers(broker: Cluster, tmp_path: Path) -> Iterator[FaustWorkers]:
    """An application of its own, fed from the start."""
    name = f"faust-{next(names)}"
    broker.ask("topic", topic=name, partitions=PARTITIONS)
    with FaustWorkers(broker.plain, name, tmp_path) as made:
        yield made


def planned(workers: FaustWorkers, *arguments: str) -> Any:
    """What `segue plan` says, once the leader has told where it is."""

    refusals = [""]

    def ask() -> Any:
        done = run(workers.server, workers.name, "plan", "--json", *arguments)
        refusals.append(done.stderr)
        return json.loads(done.stdout) if done.returncode == 0 else None

    return wait_for(ask, lambda: refusals[-1])


def shares(said: Any) -> list[int]:
    return sorted(row["active_then"] for row in said["members"])


def test_tasks_are_learnt_handed_over_and_survive_a_crash_and_a_drain(workers: FaustWorkers) -> None:
    """From one worker to two, one of them dies, another one comes, and the first is drained by SIGTERM; what
    `segue plan` says before is what comes of it.
    """
    workers.join("A")
    workers.settle(A=8)
    workers.join("B", session_s=10.0)
    workers.settle(A=4, B=4)
    assert workers.there["B"].learnt == workers.there["B"].holds
    workers.kill("B")
    workers.settle(A=8)
    more = planned(workers, "--add", "1")
    workers.join("C")
    workers.settle(A=4, C=4)
    assert (more["total"]["moves"], more["total"]["cold"], shares(more)) == (4, 0, [4, 4])
    assert len(workers.there["C"].learnt) == 4
    assert shares(planned(workers, "--remove", str(workers.there["A"].process.pid))) == [0, 8]
    workers.terminate("A")
    workers.settle(C=8)
    assert len(workers.there["C"].learnt) == 8
    workers.check()


def test_a_fleet_is_rolled_over_from_fausts_own(workers: FaustWorkers) -> None:
    """Worker by worker, each with its own folder: Faust's own leads at first, ours at last; every partition goes on.

    Counts are not compared here: Faust's own passes over records and loses state when it rebalances on a busy machine.
    """
    workers.join("A", segue=False)
    workers.join("B", segue=False)
    workers.settle(A=4, B=4)
    for label, other in ("AB", "BA"):
        workers.leave(label)
        workers.settle(**{other: 8})
        workers.join(label)
        workers.settle(A=4, B=4)


def test_fausts_own_joins_ours(workers: FaustWorkers) -> None:
    """It learns as well, and takes over after a time, since it does not say how far it is."""
    workers.join("A", segue={"probing_rebalance_interval_ms": 1_000})
    workers.settle(A=8)
    workers.join("B", segue=False)
    workers.settle(A=4, B=4)
