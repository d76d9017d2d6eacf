# SPDX-License-Identifier: Apache-2.0
"""Topics that are read together, as tasks.

In Faust, topics with as many partitions and the same subscribers are co-partitioned: partition p of all of them goes to
one worker. That is one task, and the topics of such a set are a subtopology. Its changelogs are its state.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from segue._clients.user_data import Partition


@dataclass(frozen=True, slots=True)
class Tables:
    """Changelogs of the application's tables: where the state is that they describe.

    on_disk: a copy outlives a change of role. in_memory: it does not, and what takes over reads from the start.
    everywhere: of global tables, which every worker has whole; they belong to no task.
    """

    on_disk: frozenset[str] = frozenset()
    in_memory: frozenset[str] = frozenset()
    everywhere: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Topics:
    """A set of co-partitioned topics. `claimed` is the one whose claims say who has a task; empty where none does.

    changelogs: of its tables with state on disk. stateful: whether a copy elsewhere is worth anything.
    """

    id: int
    names: tuple[str, ...]
    partitions: int
    subscribers: tuple[str, ...]
    changelogs: tuple[str, ...]
    stateful: bool
    claimed: str

    @property
    def planned(self) -> bool:
        """Global tables are for everybody, and planned for nobody."""
        return bool(self.claimed)

    def task(self, number: int) -> str:
        return f"{self.id}_{number}"

    def of(self, task: str) -> int:
        return int(task.rpartition("_")[2])


def copartitioned(
    counts: Mapping[str, int],
    subscriptions: Mapping[str, Iterable[str]],
    tables: Tables,
    claims: Iterable[Partition] = (),
) -> list[Topics]:
    """The sets in order of their number of partitions, then of their names.

    counts: partitions of each topic that is there. subscriptions: topics by worker. claims: everything anybody holds.
    """
    subscribers: dict[str, list[str]] = {}
    for id in sorted(subscriptions):
        for topic in set(subscriptions[id]):
            subscribers.setdefault(topic, []).append(id)
    sets: dict[tuple[int, tuple[str, ...]], list[str]] = {}
    for topic in sorted(subscribers):
        if counts.get(topic):
            sets.setdefault((counts[topic], tuple(subscribers[topic])), []).append(topic)
    held = {topic for topic, _ in claims}
    rows = sorted((count, names, ids) for (count, ids), names in sets.items())
    return [_topics(id, names, count, ids, tables, held) for id, (count, names, ids) in enumerate(rows)]


def by_subscribers(sets: Iterable[Topics]) -> dict[tuple[str, ...], list[Topics]]:
    """Sets that the same workers may have are balanced together."""
    found: dict[tuple[str, ...], list[Topics]] = {}
    for one in sets:
        found.setdefault(one.subscribers, []).append(one)
    return found


def topic_groups(sets: Sequence[Topics]) -> dict[str, int]:
    """Faust's number of the group of each topic: topics of one have as many partitions."""
    sizes = {count: index for index, count in enumerate(sorted({one.partitions for one in sets}))}
    return {name: sizes[one.partitions] for one in sets for name in one.names}


def _topics(
    id: int, names: Sequence[str], partitions: int, subscribers: tuple[str, ...], tables: Tables, held: set[str]
) -> Topics:
    changelogs = tuple(name for name in names if name in tables.on_disk)
    own = [name for name in names if name not in tables.everywhere]
    # State decides: a topic that is new in the set has no claims, and a changelog's are worth more than others'.
    claimed = min(own, key=lambda name: (name not in held, name not in changelogs, name), default="")
    stateful = bool(changelogs) and not any(name in tables.in_memory for name in names)
    return Topics(id, tuple(names), partitions, subscribers, changelogs, stateful, claimed)
