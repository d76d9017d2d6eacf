# SPDX-License-Identifier: Apache-2.0
"""Random lives of a group of stateful consumers: whatever happens, each input record counts once in one state."""

from __future__ import annotations

import random
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated import SimulatedGroup

from segue import SqliteStore

PARTITIONS = 3
EVENTS = 200
WEIGHTS = {"produce": 9, "process": 12, "replay": 9, "start": 9, "commit": 2, "rebalance": 2}
WEIGHTS |= {"join": 2, "leave": 1, "crash": 2, "pause": 1}


class Life:
    """Does the events, and keeps the folders of members that are gone for those that come."""

    def __init__(self, folder: Path | None, **config: int) -> None:
        self.group = SimulatedGroup(PARTITIONS)
        self._folder, self._config = folder, config
        self._stores: dict[str, SqliteStore] = {}
        self._free: list[str] = []
        self.join(0)

    def happen(self, seed: int) -> None:
        """Random events, and then the last word: somebody is there, and everything is read."""
        dice = random.Random(seed)
        for name in dice.choices(list(WEIGHTS), weights=list(WEIGHTS.values()), k=EVENTS):
            getattr(self, name)(dice.randrange(2**16))
        self.join(0)
        self.group.rebalance()
        self.group.settle()
        self.group.check()
        for one in self.group.members.values():
            one.keeper.store.close()

    def produce(self, which: int) -> None:
        self.group.produce(which % PARTITIONS, b"%d" % (which % 7))

    def process(self, which: int) -> None:
        if id := self._id(which):
            for partition in range(which % PARTITIONS, PARTITIONS):
                self.group.members[id].process(partition)

    def replay(self, which: int) -> None:
        if id := self._id(which):
            self.group.members[id].replay(1 + which % 9)

    def start(self, which: int) -> None:
        if id := self._id(which):
            self.group.members[id].start()

    def commit(self, which: int) -> None:
        if id := self._id(which):
            self.group.members[id].hand_over()

    def rebalance(self, which: int) -> None:
        self.group.rebalance()

    def join(self, which: int) -> None:
        if len(self.group.members) < 4:
            name = self._free.pop() if self._free else f"disk{len(self._stores)}"
            store = SqliteStore(self._folder / name) if self._folder else None
            self.group.join(store, **self._config)
            if store:
                self._stores[name] = store
            self.group.rebalance()

    def pause(self, which: int) -> None:
        if id := self._id(which):
            self.group.pause(id, which % PARTITIONS)

    def leave(self, which: int) -> None:
        if id := self._id(which):
            self._close(id, crash=None)

    def crash(self, which: int) -> None:
        if id := self._id(which):
            self._close(id, crash=which % 5)

    def _close(self, id: str, crash: int | None) -> None:
        store = self.group.members[id].keeper.store
        if crash is None:
            self.group.leave(id)
        else:
            self.group.crash(id, crash)
        store.close()
        self._free += [name for name, one in self._stores.items() if one is store]
        self.group.rebalance()

    def _id(self, which: int) -> str | None:
        ids = list(self.group.members)
        return ids[which % len(ids)] if ids else None


seeds = st.integers(0, 2**32)


@pytest.mark.parametrize("standbys", [0, 1])
@settings(max_examples=30)
@given(seed=seeds)
def test_every_record_counts_once(standbys: int, seed: int) -> None:
    """Through joins, leaves and crashes at any moment. Nobody starts before it has everything, or beside another."""
    Life(None, num_standby_replicas=standbys).happen(seed)


@settings(max_examples=30)
@given(seed=seeds)
def test_every_record_counts_once_on_disks_that_are_used_again(seed: int) -> None:
    """The same, with copies that outlive their members."""
    with TemporaryDirectory() as folder:
        Life(Path(folder)).happen(seed)
