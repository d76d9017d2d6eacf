# SPDX-License-Identifier: Apache-2.0
"""Workers of one Faust application without a broker: real Apps with real assignors, which exchange bytes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import faust
from aiokafka.coordinator.protocol import ConsumerProtocol
from clients import Topics
from faust.assignor import PartitionAssignor as FaustAssignor

import segue.faust
from segue._drain.membership import Voice
from segue._faust.copies import Picture
from segue._faust.wire import Copy
from segue._group import Leaving

Places = set[tuple[str, int]]

INPUT = "orders"
CHANGELOG = "app-counts-changelog"
GLOBAL = "app-everywhere-changelog"
TOPICS = Topics({INPUT: 8, CHANGELOG: 8})


class NoLoop:
    """No worker runs here: what an assignor wants to be done later is not done."""

    def call_soon_threadsafe(self, *_: Any) -> None:
        pass


class Worker:
    """A worker and its assignor. `kind` is `stock`, or what Faust's setting takes."""

    def __init__(
        self, id: str, kind: Any = "segue.faust:PartitionAssignor", *, store: str = "rocksdb://", standbys: int = 0
    ) -> None:
        self.app: Any = faust.App(
            "app",
            broker="kafka://nowhere",
            store=store,
            canonical_url=f"http://{id}:6066",
            table_standby_replicas=standbys,
            PartitionAssignor=FaustAssignor if kind == "stock" else kind,
        )
        self.app.loop = cast(Any, NoLoop())
        self.app.Table("counts", partitions=8)
        self.assignor: Any = self.app.assignor

    @property
    def segue(self) -> bool:
        return isinstance(self.assignor, segue.faust.PartitionAssignor)

    def join(self, topics: Iterable[str]) -> bytes:
        return bytes(self.assignor.metadata(set(topics)).encode())

    def lead(self, topics: Topics, joined: Mapping[str, bytes]) -> dict[str, bytes]:
        members = {id: ConsumerProtocol.METADATA.decode(data) for id, data in joined.items()}
        return {id: bytes(one.encode()) for id, one in self.assignor.assign(topics, members).items()}

    def take(self, data: bytes) -> Places:
        """Faust's own check that the partitions are those of the document is part of it."""
        assignment = ConsumerProtocol.ASSIGNMENT.decode(data)
        self.assignor.on_assignment(assignment)
        return {(topic, number) for topic, number in assignment.partitions()}

    def active(self, topic: str = INPUT) -> set[int]:
        return {number for name, number in self.assignor.assigned_actives() if name == topic}

    def standby(self) -> set[int]:
        return {number for name, number in self.assignor.assigned_standbys() if name == CHANGELOG}

    def learns(self) -> set[int]:
        return {number for _, number in self.assignor.watch.heard.learner} if self.segue else set()

    def leaves(self, deadline_ms: int | None = None) -> None:
        """It is marked, and will say so when it joins."""
        instance = f"{id(self):036d}"
        self.assignor.member._voice = Voice(instance, Leaving(since_ms=0, deadline_ms=deadline_ms))

    def stays(self) -> None:
        self.assignor.member._voice = Voice()

    def sees(self, ready: Iterable[int], copies: Mapping[int, Copy] | None = None) -> None:
        """What its watch would have seen of its copies."""
        seen = {(CHANGELOG, number): copy for number, copy in (copies or {}).items()}
        self.assignor.watch._copies.picture = Picture(seen, frozenset((CHANGELOG, number) for number in ready))


@dataclass
class FaustFleet:
    """The workers of one group. The first one leads unless it is said who does."""

    topics: Topics = field(default_factory=lambda: TOPICS)
    workers: dict[str, Worker] = field(default_factory=dict)
    subscribed: dict[str, set[str]] = field(default_factory=dict)

    def add(self, id: str, kind: Any = "segue.faust:PartitionAssignor", **options: Any) -> Worker:
        self.workers[id] = Worker(id, kind, **options)
        return self.workers[id]

    def joined(self) -> dict[str, bytes]:
        return {id: one.join(self.subscribed.get(id, self.topics)) for id, one in self.workers.items()}

    def rebalance(self, leader: str | None = None, joined: Mapping[str, bytes] | None = None) -> dict[str, Places]:
        """All join, the leader answers, all take. `joined` replaces what workers say."""
        leads = self.workers[leader or next(iter(self.workers))]
        answers = leads.lead(self.topics, self.joined() | dict(joined or {}))
        return {id: one.take(answers[id]) for id, one in self.workers.items()}

    def hold(self) -> list[set[int]]:
        return [one.active() for one in self.workers.values()]
