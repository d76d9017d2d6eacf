# SPDX-License-Identifier: Apache-2.0
"""Brokers, a consumer and a group that are played, as far as a drain sees them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from segue._drain.channel import ChannelError, Entry, Place, UnknownPlace
from segue._drain.membership import Membership
from segue._drain.presence import Copies

PATIENCE_S = 60

Result = TypeVar("Result")


def wait_for(condition: Callable[[], Result]) -> Result:
    deadline = time.monotonic() + PATIENCE_S
    while not (found := condition()):
        assert time.monotonic() < deadline, "the condition was not met in time"
        time.sleep(0.01)
    return found


class Brokers:
    """Side groups in a dict. `fault`: what every call raises, while it is set. `answering`: clear while nobody does."""

    def __init__(self, *topics: str) -> None:
        self.topics = topics or ("orders",)
        self.groups_there: dict[str, dict[Place, str]] = {}
        self.fault: ChannelError | None = None
        self.answering = threading.Event()
        self.answering.set()
        self.closed = False
        self.read_last: set[str] = set()
        self.reads = 0

    def read(self, groups: Iterable[str]) -> Mapping[str, list[Entry]]:
        groups = list(groups)
        self.read_last = set(groups)
        self.reads += 1
        self._call()
        return {group: self._entries(group) for group in groups}

    def write(self, group: str, place: Place, text: str) -> None:
        self._call()
        if place[0] not in self.topics:
            raise UnknownPlace(place[0])
        self.groups_there.setdefault(group, {})[place] = text

    def delete(self, group: str) -> None:
        self._call()
        self.groups_there.pop(group, None)

    def groups(self) -> list[str]:
        self._call()
        return list(self.groups_there)

    def close(self) -> None:
        self.closed = True

    def text(self, group: str) -> str:
        """What stands there, of one entry at the most."""
        (text,) = self.groups_there.get(group, {("", 0): ""}).values()
        return text

    def _entries(self, group: str) -> list[Entry]:
        return [Entry(place, text) for place, text in self.groups_there.get(group, {}).items() if text]

    def _call(self) -> None:
        assert not self.closed
        self.answering.wait(PATIENCE_S)
        if self.fault:
            raise self.fault


@dataclass
class Consumer:
    """A seat: what it is asked for is done by the test, or by `on_rejoin` at once."""

    brokers: Brokers
    client_id: str = "orders-1"
    application: str = "shop"
    heartbeat_s: float = 0.05
    application_server: str | None = "10.0.0.7:8080"
    member: Membership = field(default_factory=Membership)
    subscribed: tuple[str, ...] = ("orders",)
    tasks: int = 3
    at_work: bool = True
    is_closed: bool = False
    left: bool = False
    rejoins: int = 0
    on_rejoin: Callable[[], None] = lambda: None
    on_leave: Callable[[], None] = lambda: None

    @property
    def channel_key(self) -> object:
        return self.brokers

    def make_channel(self) -> Brokers:
        return self.brokers

    def topics(self) -> Iterable[str]:
        return self.subscribed

    def active(self) -> int:
        return self.tasks

    def copies(self) -> Copies:
        return Copies()

    def joined(self) -> bool:
        return self.member.rounds.ended > 0 and not self.is_closed

    def running(self) -> bool:
        return self.at_work

    def closed(self) -> bool:
        return self.is_closed

    def rejoin(self) -> None:
        self.rejoins += 1
        self.on_rejoin()

    def leave(self, timeout_s: float) -> bool:
        self.on_leave()
        self.left = self.is_closed = True
        return True
