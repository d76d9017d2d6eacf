# SPDX-License-Identifier: Apache-2.0
"""What holds for every fleet of Faust's own workers and ours, whoever leads, whatever happened before."""

from __future__ import annotations

import pytest

pytest.importorskip("faust", reason="faust-streaming is not there for this Python")

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from faust_fleet import FaustFleet, Worker
from hypothesis import given, settings
from hypothesis import strategies as st

import segue
from segue._faust.wire import Copy

IDS = tuple("ABCDE")
KINDS = {
    "stock": "stock",
    "learner": segue.faust.PartitionAssignor.configured("learner"),
    "scale-down": segue.faust.PartitionAssignor.configured("scale-down"),
    "balanced": segue.faust.PartitionAssignor.configured("balanced"),
}
WHOLE = settings(max_examples=60)


@dataclass(frozen=True)
class Step:
    """One worker comes, is replaced, goes, or is marked; some learners get ready; somebody leads."""

    id: str
    kind: str | None
    leader: int
    ready: float
    leaves: bool = False


STEPS = st.lists(
    st.builds(
        Step,
        id=st.sampled_from(IDS),
        kind=st.none() | st.sampled_from(sorted(KINDS)),
        leader=st.integers(0, 4),
        ready=st.sampled_from((0.0, 0.5, 1.0)),
        leaves=st.booleans(),
    ),
    min_size=1,
    max_size=12,
)


@given(steps=STEPS, standbys=st.integers(0, 2))
@WHOLE
def test_every_task_has_one_owner_and_no_copy_beside_it(steps: list[Step], standbys: int) -> None:
    """And Faust's own checks pass in every worker."""
    fleet = FaustFleet()
    for step in steps:
        if lead(fleet, step, standbys):
            check_whole(fleet)


@given(steps=STEPS, standbys=st.integers(0, 2))
@WHOLE
def test_no_cold_copy_is_promoted_while_a_warm_one_lives(steps: list[Step], standbys: int) -> None:
    """Where one of ours leads, an owner that stays loses a task to nobody that has not said it is ready for it."""
    fleet = FaustFleet()
    for step in steps:
        change(fleet, step, standbys)
        if not fleet.workers:
            continue
        leader = leader_of(fleet, step)
        with watched(fleet) as moved:
            fleet.rebalance(leader)
        if fleet.workers[leader].segue:
            assert not moved


def lead(fleet: FaustFleet, step: Step, standbys: int) -> bool:
    """Whether somebody is there to lead."""
    change(fleet, step, standbys)
    if fleet.workers:
        fleet.rebalance(leader_of(fleet, step))
    return bool(fleet.workers)


def change(fleet: FaustFleet, step: Step, standbys: int) -> None:
    fleet.workers.pop(step.id, None)
    if step.kind is not None:
        fleet.add(step.id, KINDS[step.kind], standbys=standbys)
    for worker in fleet.workers.values():
        if worker.segue:
            copies = sorted(worker.standby())
            worker.sees(copies[: int(len(copies) * step.ready)], {number: Copy(1, 2) for number in copies})
    marked = fleet.workers.get(IDS[step.leader])
    if marked is not None and marked.segue:
        if step.leaves:
            marked.leaves()
        else:
            marked.stays()


def leader_of(fleet: FaustFleet, step: Step) -> str:
    return sorted(fleet.workers)[step.leader % len(fleet.workers)]


def check_whole(fleet: FaustFleet) -> None:
    held = fleet.hold()
    assert set().union(*held) == set(range(8))
    assert sum(map(len, held)) == 8
    for worker in fleet.workers.values():
        assert not worker.active() & worker.standby()
        assert worker.learns() <= worker.standby()


@contextmanager
def watched(fleet: FaustFleet) -> Iterator[list[int]]:
    """Tasks that move in a rebalance from an owner that is there to a worker that was not ready."""
    before = {id: worker.active() for id, worker in fleet.workers.items()}
    twice = {number for held in before.values() for number in held if sum(number in one for one in before.values()) > 1}
    ready = {id: said_ready(worker) for id, worker in fleet.workers.items()}
    moved: list[int] = []
    yield moved
    owned = set().union(*before.values()) - twice
    for id, worker in fleet.workers.items():
        moved += sorted((worker.active() & owned) - before[id] - ready[id])


def said_ready(worker: Worker) -> set[int]:
    return {number for _, number in worker.assignor.watch._copies.picture.ready} if worker.segue else set()
