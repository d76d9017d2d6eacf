# SPDX-License-Identifier: Apache-2.0
"""A worker as the leader sees it, and which of the claims are true."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from segue._clients.user_data import Partition
from segue._faust.topics import Topics
from segue._faust.wire import Said


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker that has joined: the topics that it subscribes to, and what it says it has.

    said: None for a worker of Faust's own assignor, which says nothing of its copies.
    """

    id: str
    topics: frozenset[str] = frozenset()
    actives: frozenset[Partition] = frozenset()
    standbys: frozenset[Partition] = frozenset()
    said: Said | None = None

    @property
    def words(self) -> Said:
        return self.said or Said()


@dataclass(slots=True)
class Assigned:
    """What a worker gets. Learners are standbys to Faust, and among them here.

    owned: tasks that it has, but for those that only it reads, such as of a reply topic of its own.
    """

    actives: set[Partition] = field(default_factory=set)
    standbys: set[Partition] = field(default_factory=set)
    learners: set[Partition] = field(default_factory=set)
    owned: int = 0


def owned(workers: Iterable[Worker], topics: Topics) -> dict[str, list[int]]:
    """The tasks that each worker has, by its claims. Of two claims the one of the newer round is true; two of the same
    round both stand, and what to do with them is for libsegue.
    """
    claims: dict[str, list[int]] = {}
    newest: dict[int, int] = {}
    there = [worker for worker in workers if worker.id in topics.subscribers]
    for worker in there:
        claims[worker.id] = _numbers(worker.actives, topics)
        for number in claims[worker.id]:
            newest[number] = max(newest.get(number, 0), worker.words.round)
    return {
        worker.id: [number for number in claims[worker.id] if newest[number] == worker.words.round] for worker in there
    }


def kept_beside(worker: Worker, topics: Topics, owns: Iterable[int]) -> list[int]:
    """The tasks of which it has a standby or learner."""
    return sorted(set(_numbers(worker.standbys, topics)) - set(owns)) if topics.stateful else []


def next_round(workers: Sequence[Worker], given: dict[str, Assigned]) -> int:
    """One more than the newest when somebody's actives change, so that a fleet at rest keeps its bytes."""
    newest = max((worker.words.round for worker in workers), default=0)
    return newest + any(worker.actives != given[worker.id].actives for worker in workers)


def _numbers(held: Iterable[Partition], topics: Topics) -> list[int]:
    return sorted(number for topic, number in held if topic == topics.claimed and number < topics.partitions)
