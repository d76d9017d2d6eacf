# SPDX-License-Identifier: Apache-2.0
"""When the members of a group send their heartbeats."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
from kafka.coordinator.heartbeat import Heartbeat

from segue._aiokafka import beat as aiokafka_beat
from segue._clients.beats import Beats
from segue._kafka_python import beat as kafka_python_beat

INTERVAL_S = 0.3


class Clock:
    """Time passes when somebody waits."""

    def __init__(self, now: float = 1_796_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


def next_beat(joined: float) -> float:
    """When a member sends its first one that has joined then."""
    return joined + Beats("orders", INTERVAL_S, Clock(joined)).left_s(0)


def test_members_that_join_at_any_time_send_their_heartbeats_at_the_same_moments() -> None:
    """What is between two moments is whole intervals."""
    lots = random.Random(6)
    moments = [next_beat(1_796_000_000 + lots.uniform(0, 100)) for _ in range(200)]
    apart = [(moment - moments[0]) / INTERVAL_S for moment in moments]
    assert apart == pytest.approx([round(one) for one in apart], abs=1e-4)
    assert len({round(one) for one in apart}) > 100


def test_groups_have_moments_of_their_own() -> None:
    """A broker does not hear all groups at once."""
    moments = {round(Beats(f"group {number}", INTERVAL_S, Clock()).left_s(0), 3) for number in range(50)}
    assert len(moments) > 30


@pytest.mark.parametrize("set_by_s", [0.0, 0.2, -0.2, 3600.0, -3600.0])
def test_wherever_the_clock_is_set_to_a_heartbeat_is_never_late_by_much(set_by_s: float) -> None:
    """The session depends on them."""
    clock = Clock()
    beats = Beats("orders", INTERVAL_S, clock)
    for step in range(60):
        since_s = step / 100
        clock.now = 1_796_000_000.0 + since_s + set_by_s
        assert 0 <= beats.left_s(since_s) <= max(0, 1.25 * INTERVAL_S - since_s) + 1e-6


def test_a_rebalance_is_not_asked_for_amid_heartbeats() -> None:
    """At the moment itself, and shortly before and after it."""
    clock = Clock()
    beats = Beats("orders", INTERVAL_S, clock)
    clock.now += beats.left_s(0)
    moment = clock.now
    calm = []
    for part in (-0.2, -0.05, 0, 0.05, 0.2, 0.5, 0.7):
        clock.now = moment + part * INTERVAL_S
        calm.append(beats.calm())
    assert calm == [False, False, False, False, True, True, True]


def beats_of_kafka_python(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> tuple[Heartbeat, Beats]:
    """Of kafka-python itself, which goes by that clock too."""
    times = SimpleNamespace(monotonic=lambda: clock.now)
    monkeypatch.setattr("kafka.coordinator.heartbeat.time", times)
    monkeypatch.setattr(kafka_python_beat, "time", times)
    beats = Beats("orders", INTERVAL_S, clock)
    heartbeat = Heartbeat(group_id="orders", heartbeat_interval_ms=300, session_timeout_ms=10_000)
    heartbeat.reset_timeouts()
    kafka_python_beat.keep_beats(SimpleNamespace(heartbeat=heartbeat), beats)
    return heartbeat, beats


def test_kafka_python_sends_them_then_however_late_each_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one after a late one is not late by as much again."""
    clock = Clock()
    heartbeat, beats = beats_of_kafka_python(clock, monkeypatch)
    first = clock.now + beats.left_s(0)
    for number in range(20):
        clock.now += heartbeat.time_to_next_heartbeat()
        assert clock.now == pytest.approx(first + number * INTERVAL_S, abs=1e-4)
        clock.now += 0.02
        heartbeat.sent_heartbeat()
        assert not heartbeat.should_heartbeat()


def test_kafka_python_repeats_one_that_has_failed_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """After its own pause."""
    clock = Clock()
    heartbeat, _ = beats_of_kafka_python(clock, monkeypatch)
    heartbeat.sent_heartbeat()
    heartbeat.fail_heartbeat()
    assert heartbeat.time_to_next_heartbeat() == pytest.approx(0.1)


def sent_by_aiokafka(clock: Clock, monkeypatch: pytest.MonkeyPatch, send: Callable[[], bool]) -> list[float]:
    """The times of twenty heartbeats, sent by a task like aiokafka's: it waits for its interval after each that has
    worked, and else for its own pause.
    """
    sent: list[float] = []

    async def do_heartbeat() -> bool:
        sent.append(clock.now)
        clock.now += 0.02
        return send()

    async def run() -> None:
        coordinator: Any = SimpleNamespace(_do_heartbeat=do_heartbeat, _heartbeat_interval_ms=300)
        monkeypatch.setattr(asyncio, "sleep", clock.sleep)
        monkeypatch.setattr(asyncio.get_running_loop(), "time", clock)
        aiokafka_beat.keep_beats(coordinator, Beats("orders", INTERVAL_S, clock))
        while len(sent) < 20:
            worked = await coordinator._do_heartbeat()
            clock.now += coordinator._heartbeat_interval_ms / 1000 if worked else 0.1

    asyncio.run(run())
    return sent


def test_aiokafka_sends_them_then_however_late_each_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """One for each moment."""
    clock = Clock()
    first = clock.now + Beats("orders", INTERVAL_S, clock).left_s(0)
    sent = sent_by_aiokafka(clock, monkeypatch, lambda: True)
    assert sent == pytest.approx([first + number * INTERVAL_S for number in range(20)], abs=1e-4)


def test_aiokafka_repeats_one_that_has_failed_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """After its own pause."""
    sent = sent_by_aiokafka(Clock(), monkeypatch, lambda: False)
    assert [later - earlier for earlier, later in pairwise(sent)] == pytest.approx([0.12] * 19)
