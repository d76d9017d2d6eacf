# SPDX-License-Identifier: Apache-2.0
"""A group of stateful consumers without a broker: logs are lists, and everything happens when the test says so.

Each member counts how often it has seen a key, as the examples do. What crosses between members is bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from clients import Topics

from segue import MemoryStore, Store
from segue._state.keeper import Keeper

INPUT, CHANGELOG = "orders", "counts"


@dataclass
class Entry:
    """A record, of the input or of the changelog."""

    offset: int
    key: bytes = b"key"
    value: bytes | None = b"value"
    headers: list[tuple[str, bytes]] = field(default_factory=list)
    topic: str = INPUT
    partition: int = 0


class Member:
    """A consumer: its client's calls are the methods here."""

    def __init__(self, group: SimulatedGroup, store: Store, config: Mapping[str, Any]) -> None:
        self.group = group
        self.keeper = Keeper(
            [INPUT], changelog=CHANGELOG, store=store, assignor="learner", config=config, send=self._send
        )
        self.unsent: list[tuple[int, Entry]] = []
        self.positions: dict[int, int] = {}

    @property
    def serving(self) -> frozenset[int]:
        return self.keeper.engine.serving

    def process(self, partition: int) -> None:
        """One record, where there is one."""
        log, at = self.group.input[partition], self.positions.get(partition, 0)
        if partition in self.serving and at < len(log):
            record = log[at]
            self.positions[partition] = at + 1
            self.keeper.begin([record])
            if not self.keeper.applied(record):
                state = self.keeper.state(partition)
                state[record.key] = b"%d" % (int(state.get(record.key, b"0")) + 1)
            self.keeper.end()

    def give_up(self, partition: int) -> None:
        """The application, or the client, gives up in the midst of the next record."""
        log, at = self.group.input[partition], self.positions.get(partition, 0)
        if partition in self.serving and at < len(log):
            self.keeper.begin([log[at]])
            self.keeper.state(partition)[log[at].key] = b"never"
            self.keeper.give_up()

    def replay(self, most: int) -> None:
        """Reads so many records of each changelog that it wants."""
        engine = self.keeper.engine
        if asked := engine.questions():
            ends = {p: len(self.group.changelog[p]) for p in asked.ends}
            engine.answered(asked, ends, dict.fromkeys(asked.beginnings, 0))
        for partition, offset in engine.wanted().items():
            if found := self.group.changelog[partition][offset : offset + most]:
                engine.restore(partition, found)

    def start(self) -> None:
        """Starts what is whole: by then nobody else may serve it, and it has everything that anybody wrote."""
        for partition in self.keeper.start():
            self.positions[partition] = self.group.committed.get(partition, 0)
            assert not any(partition in one.serving for one in self.group.members.values() if one is not self)
            assert dict(self.keeper.state(partition)) == self.group.folded(partition)

    def hand_over(self) -> None:
        self.keeper.prepare()
        self.keeper.checkpoint(self.flush(len(self.unsent)))
        self.group.committed.update({partition: offset for (_, partition), offset in self.keeper.offsets().items()})

    def flush(self, most: int) -> dict[int, int]:
        """Has the broker take so many writes, in order."""
        ends = {}
        for partition, entry in self.unsent[:most]:
            entry.offset = len(self.group.changelog[partition])
            self.group.changelog[partition].append(entry)
            ends[partition] = entry.offset + 1
        del self.unsent[:most]
        return ends

    def _send(self, partition: int, key: bytes, value: bytes | None, headers: list[tuple[str, bytes]]) -> None:
        self.unsent.append((partition, Entry(0, key, value, headers, CHANGELOG, partition)))


class SimulatedGroup:
    """Members, logs and committed offsets."""

    def __init__(self, partitions: int = 3) -> None:
        self.topics = Topics({INPUT: partitions, CHANGELOG: partitions})
        self.input: list[list[Entry]] = [[] for _ in range(partitions)]
        self.changelog: list[list[Entry]] = [[] for _ in range(partitions)]
        self.committed: dict[int, int] = {}
        self.members: dict[str, Member] = {}
        self._names = count()

    def produce(self, partition: int, key: bytes) -> None:
        log = self.input[partition]
        log.append(Entry(len(log), key, partition=partition))

    def join(self, store: Store | None = None, **config: Any) -> Member:
        config = {"acceptable.recovery.lag": 2, **{key.replace("_", "."): value for key, value in config.items()}}
        one = self.members[f"m{next(self._names)}"] = Member(self, store or MemoryStore(), config)
        return one

    def crash(self, id: str, written: int) -> None:
        """It is gone; the broker has got the first so many of its writes that were under way."""
        self.members.pop(id).flush(written)

    def pause(self, id: str, partition: int) -> None:
        """It stands still in the midst of a record until others have what it owned, and then finds out."""
        one = self.members.pop(id)
        one.flush(len(one.unsent))
        self.rebalance()
        one.give_up(partition)
        one.keeper.taken(None)
        one.keeper.settle()
        self.members[id] = one
        self.rebalance()

    def leave(self, id: str) -> None:
        """It hands over and closes."""
        one = self.members.pop(id)
        one.hand_over()
        one.keeper.stop()

    def rebalance(self) -> None:
        """All revoke, all join, the first leads, all take."""
        if not self.members:
            return
        for one in self.members.values():
            one.hand_over()
        joined = [(id, [INPUT], one.keeper.assignor.user_data()) for id, one in self.members.items()]
        leader = next(iter(self.members.values()))
        for id, (topics, data) in leader.keeper.assignor.assign(self.topics, joined).items():
            partitions = [(topic, number) for topic, numbers in topics for number in numbers]
            self.members[id].keeper.assignor.on_assignment(partitions, data)
            self.members[id].keeper.settle()

    def settle(self) -> None:
        """Lets things go on until all is read and balanced: rebalances happen as members ask for them."""
        for now in range(40):
            for one in self.members.values():
                for _ in range(1 + max(map(len, self.changelog)) // 50):
                    one.replay(100)
                one.start()
                for partition in one.serving:
                    while one.positions[partition] < len(self.input[partition]):
                        one.process(partition)
            if any(one.keeper.engine.rejoin_due(now) for one in self.members.values()):
                self.rebalance()

    def folded(self, partition: int) -> dict[bytes, bytes]:
        """The state that a changelog stands for."""
        newest = {entry.key: entry.value for entry in self.changelog[partition]}
        return {key: value for key, value in newest.items() if value is not None}

    def counted(self, partition: int) -> dict[bytes, bytes]:
        """The state that the input makes."""
        return {key: b"%d" % number for key, number in Counter(one.key for one in self.input[partition]).items()}

    def check(self) -> None:
        """Every partition is served by one member, and its state counts every record once."""
        assert sorted(p for one in self.members.values() for p in one.serving) == list(range(len(self.input)))
        for one in self.members.values():
            for partition in one.serving:
                assert dict(one.keeper.state(partition)) == self.counted(partition)
