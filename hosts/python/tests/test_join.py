# SPDX-License-Identifier: Apache-2.0
"""What becomes of a join of kafka-python's that ends while nobody polls."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from segue._kafka_python.join import keep_join, tell_to_join


class Joining:
    """kafka-python's coordinator: each join is another round."""

    def __init__(self) -> None:
        self.config = {"session_timeout_ms": 30_000}
        self.joins = 0
        self.told: list[Any] = []
        self._generation = object()

    async def _do_join_and_sync_async(self) -> bytes:
        self.joins += 1
        self._generation = object()
        return b"%d" % self.joins

    async def _on_join_complete_async(self, *arguments: Any) -> None:
        self.told.append(arguments)


def joining(monkeypatch: pytest.MonkeyPatch) -> tuple[Joining, SimpleNamespace]:
    clock = SimpleNamespace(now=0.0)
    clock.monotonic = lambda: clock.now
    monkeypatch.setattr("segue._kafka_python.join.time", clock)
    coordinator = Joining()
    keep_join(coordinator)
    return coordinator, clock


async def complete(coordinator: Joining) -> bytes:
    answer = await coordinator._do_join_and_sync_async()
    await coordinator._on_join_complete_async(1, "member", "segue", answer)
    return answer


def test_a_join_that_ended_between_two_polls_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next poll takes its answer; the join after it is a new one."""
    coordinator, _ = joining(monkeypatch)

    async def run() -> None:
        await coordinator._do_join_and_sync_async()
        assert [await complete(coordinator), await complete(coordinator)] == [b"1", b"2"]

    asyncio.run(run())
    assert [told[-1] for told in coordinator.told] == [b"1", b"2"]


@pytest.mark.parametrize("lost", ["time", "generation"])
def test_a_join_that_the_group_may_have_forgotten_does_not_count(monkeypatch: pytest.MonkeyPatch, lost: str) -> None:
    """Nobody sent heartbeats meanwhile, or the member was told that it is none any more."""
    coordinator, clock = joining(monkeypatch)

    async def run() -> bytes:
        await coordinator._do_join_and_sync_async()
        if lost == "time":
            clock.now = 10.0
        else:
            coordinator._generation = object()
        return await complete(coordinator)

    assert asyncio.run(run()) == b"2"


def test_who_sleeps_is_told_that_it_has_to_join() -> None:
    """After the coordinator knows it, so that who is woken finds it."""
    joined: list[str] = []
    coordinator = SimpleNamespace(request_rejoin=lambda: joined.append("needed"))
    tell_to_join(coordinator, lambda: joined.append("told"))
    coordinator.request_rejoin()
    assert joined == ["needed", "told"]
