# SPDX-License-Identifier: Apache-2.0
"""How a member with partitions asks for a rebalance."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from segue._clients.beats import Beats
from segue._clients.knock import Asking, knock

UNKNOWN_MEMBER_ID, ILLEGAL_GENERATION, MEMBER_ID_REQUIRED, GROUP_FULL = 25, 22, 79, 81


class Coordinator:
    """A broker's part of it. late: so many heartbeats come before the join over the other connection does."""

    def __init__(self, *, late: int = 0, first: int = MEMBER_ID_REQUIRED, refused: bool = False) -> None:
        self.late, self.first, self.refused = late, first, refused
        self.members: set[str] = set()
        self.calls = 0
        self._coming = ""

    async def name(self) -> tuple[int, str]:
        return self.first, "stranger"

    def join(self, member: str) -> Callable[[], bool]:
        self._coming = member
        return lambda: self.refused

    async def heartbeat(self, member: str) -> int:
        if self.late == 0 and not self.refused and self._coming:
            self.members.add(self._coming)
            self._coming, self.calls = "", self.calls + 1
        self.late -= 1
        return ILLEGAL_GENERATION if member in self.members else UNKNOWN_MEMBER_ID

    async def leave(self, member: str) -> None:
        self.members.discard(member)
        self._coming = ""

    async def pause(self) -> None:
        await asyncio.sleep(0)


@pytest.mark.parametrize("late", [0, 3])
def test_a_stranger_leaves_once_it_has_come(late: int) -> None:
    """Not before: then nobody would have been called."""
    broker = Coordinator(late=late)
    assert asyncio.run(knock(broker))
    assert (broker.calls, broker.members) == (1, set())


@pytest.mark.parametrize("broker", [Coordinator(refused=True), Coordinator(first=GROUP_FULL), Coordinator(late=10**6)])
def test_a_stranger_that_is_not_let_in_leaves_nothing(broker: Coordinator) -> None:
    """Who asked hears of it."""
    assert not asyncio.run(knock(broker))
    assert (broker.calls, broker.members) == (0, set())


class Moments(Beats):
    """Whether it is calm is said."""

    now_calm = True

    def calm(self) -> bool:
        return self.now_calm


class Member:
    """What asks."""

    def __init__(self, *, owns: bool = True) -> None:
        self.beats = Moments("orders", 0.1)
        self.rounds, self.rejoined, self.runs = 0, 0, True
        self.rung: list[Callable[[bool], None]] = []
        self.asking = Asking(
            beats=self.beats,
            owns=lambda: owns,
            running=lambda: self.runs,
            rounds=lambda: self.rounds,
            rejoin=self.rejoin,
            ring=self.rung.append,
        )

    def rejoin(self) -> None:
        self.rejoined += 1


def test_who_owns_nothing_joins_by_itself() -> None:
    """Nobody waits for it."""
    member = Member(owns=False)
    member.asking.ask()
    assert (member.rejoined, member.rung) == (1, [])


def test_an_owner_has_somebody_knock_once_for_each_round() -> None:
    """Until the round that was asked for has ended, it has been asked for."""
    member = Member()
    for _ in range(3):
        member.asking.ask()
    assert len(member.rung) == 1
    member.rounds += 1
    member.asking.ask()
    assert (len(member.rung), member.rejoined) == (2, 0)


def test_an_owner_joins_by_itself_where_nobody_is_let_in() -> None:
    member = Member()
    member.asking.ask()
    member.rung[0](True)
    assert member.rejoined == 0
    member.rung[0](False)
    assert member.rejoined == 1


def test_nobody_asks_in_the_midst_of_a_rebalance() -> None:
    """What it says is heard then, or asked for again after it."""
    member = Member()
    member.runs = False
    member.asking.ask()
    assert (member.rung, member.rejoined) == ([], 0)


def test_who_is_in_no_hurry_asks_between_the_heartbeats(monkeypatch: pytest.MonkeyPatch) -> None:
    """Amid them some members would hear of it one heartbeat after the others."""
    member = Member()
    member.beats.now_calm = False
    member.asking.ask_calmly()
    assert member.rung == []
    member.beats.now_calm = True
    member.asking.ask_calmly()
    assert len(member.rung) == 1


def test_who_never_finds_a_calm_moment_asks_after_an_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever looks as often as there are heartbeats may always look at the same moment."""
    clock = SimpleNamespace(now=5.0)
    monkeypatch.setattr("segue._clients.knock.time", SimpleNamespace(monotonic=lambda: clock.now))
    member = Member()
    member.beats.now_calm = False
    asked = []
    for clock.now in (5.0, 5.05, 5.1, 5.15):
        member.asking.ask_calmly()
        asked.append(len(member.rung))
    assert asked == [0, 0, 0, 1]
