# SPDX-License-Identifier: Apache-2.0
"""The engine of stateful consumers, without a client and without a broker."""

from __future__ import annotations

import threading
from collections.abc import Mapping

import pytest
from simulated import Entry

from segue import MemoryStore
from segue._clients.copies import Answer
from segue._state.engine import Engine
from segue._state.keeper import Keeper


class Journal(MemoryStore):
    """Notes what it is told."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[tuple[str, int]] = []

    def start(self, partition: int) -> None:
        self.told.append(("start", partition))

    def stop(self, partition: int) -> None:
        self.told.append(("stop", partition))

    def drop(self, partition: int) -> None:
        self.told.append(("drop", partition))
        super().drop(partition)


def answer(active: set[int] | None = None, learner: set[int] | None = None, number: int = 1) -> Answer:
    return Answer(frozenset(active or ()), frozenset(), frozenset(learner or ()), number)


def tell_ends(engine: Engine, ends: Mapping[int, int]) -> None:
    asked = engine.questions()
    engine.answered(asked, {p: ends[p] for p in asked.ends}, dict.fromkeys(asked.beginnings, 0))


@pytest.fixture
def store() -> Journal:
    return Journal()


@pytest.fixture
def engine(store: Journal) -> Engine:
    return Engine(store, acceptable_lag=5, batch_s=0.5)


def test_an_owner_starts_when_it_has_read_to_the_end(engine: Engine, store: Journal) -> None:
    """What is assigned is started once the changelog has been restored up to where it ended after the assignment."""
    engine.assigned(answer(active={3}))
    assert engine.wanted() == {3: 0}
    tell_ends(engine, {3: 2})
    assert engine.start() == []
    engine.restore(3, [Entry(0), Entry(1)])
    assert engine.start() == [3]
    assert store.told == [("start", 3)]
    assert engine.wanted() == {}


def test_who_may_start_a_partition_is_told_when_it_is_whole(engine: Engine) -> None:
    """Not before, and not for a learner; whether the end is known before it is reached or after it."""
    for partition in (3, 4):
        engine.assigned(answer(active={3, partition}, learner={9}, number=partition))
        if partition == 4:
            engine.wanted()
            engine.restore(4, [Entry(0)])
        assert not engine.whole.is_set()
        tell_ends(engine, {3: 1, 4: 1, 9: 0})
        if partition == 3:
            assert not engine.whole.is_set()
            engine.wanted()
            engine.restore(3, [Entry(0)])
        assert engine.whole.is_set()
        assert engine.start() == [partition]
        engine.whole.clear()


def test_in_a_rebalance_only_what_is_near_is_replayed(engine: Engine) -> None:
    """The group waits for its slowest member; who has little to read would have it to read afterwards."""
    engine.assigned(answer(learner={0}))
    engine.wanted()
    engine.quiet = True
    assert engine.stands_back
    tell_ends(engine, {0: 501})
    assert engine.stands_back
    engine.restore(0, [Entry(0)])
    assert not engine.stands_back
    engine.assigned(answer(learner={0, 1}, number=2))
    engine.wanted()
    tell_ends(engine, {0: 501, 1: 100_000})
    assert engine.stands_back
    engine.quiet = False
    assert not engine.stands_back


def test_an_end_that_was_asked_for_before_the_assignment_does_not_count(engine: Engine) -> None:
    """The former owner may have written more until it gave the partition up."""
    engine.assigned(answer(learner={3}))
    asked = engine.questions()
    engine.assigned(answer(active={3}))
    engine.answered(asked, {3: 0}, {3: 0})
    assert engine.start() == []


def test_what_stays_goes_on_untouched(engine: Engine, store: Journal) -> None:
    """A partition that stays with its owner is neither stopped nor started again."""
    engine.assigned(answer(active={0, 1}))
    tell_ends(engine, {0: 0, 1: 0})
    assert engine.start() == [0, 1]
    engine.assigned(answer(active={0}, number=2))
    assert engine.serving == {0}
    assert store.told == [("start", 0), ("start", 1), ("stop", 1), ("drop", 1)]


def test_a_learner_is_ready_when_it_is_near_enough(engine: Engine) -> None:
    """It is not before its lag is known and within what is acceptable, and the leader is told once."""
    engine.assigned(answer(learner={0}))
    engine.claim()
    assert not engine.rejoin_due(0)
    tell_ends(engine, {0: 7})
    assert engine.wanted() == {0: 0}
    engine.restore(0, [Entry(0)])
    assert not engine.rejoin_due(0)
    engine.restore(0, [Entry(1)])
    assert engine.rejoin_due(0)
    assert engine.claim().lag == {0: 0}
    assert not engine.rejoin_due(100)


def test_readiness_is_gathered(engine: Engine) -> None:
    """One of two that is ready waits half a second for the other."""
    engine.assigned(answer(learner={0, 1}))
    tell_ends(engine, {0: 0, 1: 9})
    assert not engine.rejoin_due(10)
    assert not engine.rejoin_due(10.4)
    assert engine.rejoin_due(10.5)


def test_a_copy_that_the_changelog_has_not_got_is_dropped(engine: Engine, store: Journal) -> None:
    """A position beyond the end is of another life of the topic."""
    store.restore(0, [Entry(41)])
    engine = Engine(store, acceptable_lag=5, batch_s=0.5)
    engine.assigned(answer(active={0}))
    assert engine.wanted() == {0: 42}
    tell_ends(engine, {0: 10})
    assert engine.wanted() == {0: 0}
    assert store.told == [("drop", 0)]


def test_what_was_read_for_a_copy_that_is_gone_does_not_count(engine: Engine, store: Journal) -> None:
    """A batch that was on its way when the partition went and came back is not the beginning of the new copy."""
    engine.assigned(answer(learner={0}))
    assert engine.wanted() == {0: 0}
    engine.restore(0, [Entry(0)])
    engine.assigned(answer())
    engine.assigned(answer(learner={0}))
    engine.restore(0, [Entry(1)])
    engine.progress(0, 2, 2)
    assert store.position(0) == 0
    assert engine.wanted() == {0: 0}


class Lost(Journal):
    """Cannot say where it is."""

    def position(self, partition: int) -> int:
        raise OSError


def test_a_store_that_cannot_say_where_it_is_begins_anew() -> None:
    """In an assignment, and when what was written is given up; nobody waits for the partition afterwards."""
    store = Lost()
    engine = Engine(store, acceptable_lag=5, batch_s=0.5)
    engine.assigned(answer(active={0}))
    tell_ends(engine, {0: 0})
    assert engine.start() == [0]
    engine.abandon(0)
    assert engine.wanted() == {0: 0}
    engine.assigned(answer())
    assert [name for name, _ in store.told if name == "drop"]


class Failing(Journal):
    """Restores nothing."""

    def restore(self, partition: int, records: object) -> None:
        raise OSError


def test_what_the_store_did_not_take_is_read_again() -> None:
    """Also where the next assignment comes before the reader notices."""
    engine = Engine(Failing(), acceptable_lag=5, batch_s=0.5)
    engine.assigned(answer(learner={0}))
    assert engine.wanted() == {0: 0}
    engine.restore(0, [Entry(0)])
    assert engine.ready == set()
    engine.assigned(answer(learner={0}))
    engine.progress(0, 1, 1)
    assert engine.wanted() == {0: 0}


def test_a_partition_is_not_restored_while_it_is_stopped(engine: Engine, store: Journal) -> None:
    """The owner's last call and the learner's first are one after the other."""
    engine.assigned(answer(active={0}))
    tell_ends(engine, {0: 0})
    engine.start()
    stopping, stopped = threading.Event(), threading.Event()

    def stop(partition: int) -> None:
        stopping.set()
        assert stopped.wait(60)
        store.told.append(("stopped", partition))

    store.stop = stop  # type: ignore[method-assign]
    assigning = threading.Thread(target=engine.assigned, args=(answer(learner={0}),))
    assigning.start()
    assert stopping.wait(60)
    engine.wanted()
    restoring = threading.Thread(target=engine.restore, args=(0, [Entry(0)]))
    restoring.start()
    while restoring.is_alive() and not engine._changed._waiters:  # type: ignore[attr-defined]  # the condition's own
        pass
    assert restoring.is_alive()
    stopped.set()
    restoring.join()
    assigning.join()
    assert store.position(0) == 1
    assert store.told[-1] == ("stopped", 0)


def test_nobody_replays_while_the_group_waits(store: Journal) -> None:
    """From the revocation to the assignment: a rebalance takes as long as its slowest member."""
    keeper = Keeper(["orders"], changelog="counts", store=store, assignor="learner", config={}, send=print)
    keeper.engine.quiet = True
    keeper.taken(None)
    keeper.settle()
    assert keeper.engine.quiet
    keeper.taken(answer(learner={0}))
    keeper.settle()
    assert not keeper.engine.quiet
