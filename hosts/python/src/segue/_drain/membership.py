# SPDX-License-Identifier: Apache-2.0
"""One consumer's part in the group: what its assignor asks and tells, on whatever thread the client calls that."""

from __future__ import annotations

import logging
import re
import threading
import time
import uuid
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from segue._drain.bulletin import Bulletin
from segue._drain.led import Led
from segue._drain.swap import Swap
from segue._group import Leaving

log = logging.getLogger("segue")

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class News:
    """What the leader has to know beside what the client tells it. leaving: by instance."""

    leaving: Mapping[str, Leaving] = field(default_factory=dict)
    swap: Swap | None = None


@dataclass(frozen=True, slots=True)
class Voice:
    """What of a member's join data is about leaving. A change of it makes the broker start a rebalance.

    asked: counts the rebalances that it has asked for, since a member that says the same again only gets its answer
    again.
    """

    instance: str | None = None
    leaving: Leaving | None = None
    asked: int = 0

    @property
    def known_as(self) -> str | None:
        """The instance, where it can be one: anything may stand in join data."""
        return self.instance if self.instance and _UUID.fullmatch(self.instance) else None


def nobody_stays(voices: Collection[Voice]) -> bool:
    """Whether all members of a round say that they are leaving. Their own words count, not marks that are found of
    them: who has not heard of its mark yet, or knows of none, is there for the others.
    """
    return bool(voices) and all(voice.leaving is not None for voice in voices)


@dataclass(frozen=True, slots=True)
class Rounds:
    """The rebalances that have ended here. last_at: of the monotonic clock, in seconds. nobody_stays: in the last one
    every member was leaving, as the leader says, who has heard all. heard: whether the leader of the last one knew what
    this member says by now.
    """

    ended: int = 0
    last_at: float = 0.0
    nobody_stays: bool = False
    heard: bool = False


@dataclass(frozen=True, slots=True)
class _Led:
    """A round that this member led, if it did."""

    led: Led | None = None
    frames: tuple[bytes, ...] = ()


class Membership:
    """Safe from any thread. Until it is attached to the brokers nobody hears of it and there is no news.

    instance: a UUID by which marks know it; that of its state, where it has some.
    """

    def __init__(self) -> None:
        self.instance = str(uuid.uuid4())
        self._lock = threading.Lock()
        self._bulletin: Bulletin | None = None
        self._timeout_s = 0.0
        self._scale_down_timeout_ms: int | None = None
        self._rejoin: Callable[[], None] = _nobody
        self._voice = Voice()
        self._said = Voice()
        self._draft = self._last = _Led()
        self._rounds = Rounds()

    def attach(
        self, bulletin: Bulletin, rejoin: Callable[[], None], timeout_ms: int, scale_down_timeout_ms: int | None
    ) -> None:
        """From now on it has an instance id. rejoin: asks for a rebalance, from any thread."""
        self._bulletin, self._rejoin = bulletin, rejoin
        self._timeout_s, self._scale_down_timeout_ms = timeout_ms / 1000, scale_down_timeout_ms
        self._voice = Voice(self.instance)

    @property
    def attached(self) -> bool:
        """Whether it is."""
        return self._bulletin is not None

    # ---- for the assignor ----

    def say(self) -> Voice:
        """What goes into the join data; a join begins."""
        with self._lock:
            self._draft = _Led()
            self._said = self._voice
            return self._voice

    def news(self, said: Collection[Voice]) -> News:
        """For the leader, of the members that have said this. Blocks for segue.marks.timeout.ms at the most; never
        raises. A member's own word counts where its mark cannot be read.
        """
        own = {voice.instance: voice.leaving for voice in said if voice.instance and voice.leaving}
        if self._bulletin is None:
            return News(own)
        # One name that a broker does not take would spoil the request.
        instances = {name for voice in said if (name := voice.known_as)}
        posted = self._bulletin.read(instances, self._timeout_s)
        marks = {name: mark.within(self._scale_down_timeout_ms).leaving() for name, mark in posted.marks.items()}
        return News(marks if posted.fresh else own | marks, posted.swap)

    def leads(self, led: Led, frames: tuple[bytes, ...] = ()) -> None:
        """It has computed the assignment of the round under way. frames: of a record, one for each group that was asked
        about; none where there was no plan.
        """
        with self._lock:
            self._draft = _Led(led, frames)

    def round_ended(self, nobody_stays: bool = False) -> None:
        """It has its assignment. What was asked for while that was on its way was lost, and is asked for again."""
        with self._lock:
            self._last, self._draft = self._draft, _Led()
            lost = self._said != self._voice
            self._rounds = Rounds(self._rounds.ended + 1, time.monotonic(), nobody_stays, heard=not lost)
        if lost:
            self._rejoin()

    # ---- for the attendant ----

    @property
    def led(self) -> Led | None:
        """The last rebalance in which it took part, where it led that."""
        return self._last.led

    @property
    def recorded(self) -> tuple[bytes, ...]:
        """The same as frames of a record; none as well where it led without a plan."""
        return self._last.frames

    @property
    def rounds(self) -> Rounds:
        return self._rounds

    def ask(self, leaving: Leaving | None, why: str) -> None:
        """Asks for a rebalance, and says whether it is leaving."""
        log.info("asking for a rebalance: %s", why)
        with self._lock:
            self._voice = Voice(self.instance, leaving, self._voice.asked + 1)
        self._rejoin()


def _nobody() -> None:
    pass
