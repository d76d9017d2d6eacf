# SPDX-License-Identifier: Apache-2.0
"""Asks for a rebalance in which the member that asks is silent for no longer than the others.

A member that joins again has given up its partitions by then, and its join is answered once all others have joined,
who hear of it at their next heartbeat. So nobody joins who owns something: a stranger knocks in its place. It joins,
which makes the broker call all members, and leaves before they are there; all of them hear of it at their heartbeats,
as they do when a member comes.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Protocol

from segue._clients.beats import Beats

log = logging.getLogger("segue")

# Kafka's codes.
_UNKNOWN_MEMBER_ID = 25
_MEMBER_ID_REQUIRED = 79
_LOOKS = 200
_LEAST_S = 1.0


class Door(Protocol):
    """A client's way to the coordinator of its group. All are called on the client's own loop, and raise what the
    client raises.
    """

    async def name(self) -> tuple[int, str]:
        """Joins as a member that has no id yet: the code of the answer, and the id that it gives."""

    def join(self, member: str) -> Callable[[], bool]:
        """Joins as a member that subscribes to nothing, over a connection on which nothing else waits: the broker holds
        the answer back. Whether it is there can be asked.
        """

    async def heartbeat(self, member: str) -> int:
        """The code of the answer."""

    async def leave(self, member: str) -> None:
        """Over another connection than `join`."""

    def pause(self) -> Awaitable[None]:
        """For some milliseconds."""


async def knock(door: Door) -> bool:
    """Whether the members will hear of a rebalance. Raises what the client raises."""
    code, stranger = await door.name()
    if code != _MEMBER_ID_REQUIRED:
        return False
    answered = door.join(stranger)
    try:
        # The two connections are served side by side: it must not leave before it has come.
        for _ in range(_LOOKS):
            if await door.heartbeat(stranger) != _UNKNOWN_MEMBER_ID:
                return True
            if answered():
                break
            await door.pause()
        return False
    finally:
        await door.leave(stranger)


class Asking:
    """Asks once for each round. Any thread.

    beats: of the group. owns: whether this member has partitions. running: whether it is in no rebalance; a request
    would be lost then. rounds: how many have ended here. rejoin: joins again. ring: has somebody knock, and calls back
    with whether that has worked.
    """

    def __init__(
        self,
        *,
        beats: Beats,
        owns: Callable[[], bool],
        running: Callable[[], bool],
        rounds: Callable[[], int],
        rejoin: Callable[[], None],
        ring: Callable[[Callable[[bool], None]], None],
    ) -> None:
        self._beats = beats
        self._again_s = max(_LEAST_S, 3 * beats.interval_s)
        self._owns, self._running, self._rounds = owns, running, rounds
        self._rejoin, self._ring = rejoin, ring
        self._lock = threading.Lock()
        self._asked: tuple[int, float] | None = None
        self._waits: tuple[int, float] | None = None

    def ask_calmly(self) -> None:
        """As `ask`, for who calls again and again until it is heard: the first call that is not amid the members'
        heartbeats counts, or the first after an interval. Amid them, some would hear of it one heartbeat later.
        """
        now, ended = time.monotonic(), self._rounds()
        with self._lock:
            if self._waits is None or self._waits[0] != ended:
                self._waits = ended, now
            late = now - self._waits[1] > self._beats.interval_s
        if late or self._beats.calm():
            self.ask()

    def ask(self) -> None:
        """Without waiting. What is asked for while a rebalance is under way is lost, as with the clients' own way."""
        if not self._running():
            return
        if not self._owns():
            self._rejoin()
            return
        now, ended = time.monotonic(), self._rounds()
        with self._lock:
            if self._asked is not None and self._asked[0] == ended and now < self._asked[1]:
                return
            self._asked = ended, now + self._again_s
        self._ring(self._rung)

    def _rung(self, worked: bool) -> None:
        if not worked:
            log.debug("nobody could be called to a rebalance; this member joins again by itself")
            self._rejoin()
