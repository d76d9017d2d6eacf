# SPDX-License-Identifier: Apache-2.0
"""Decides what a marked member does next: ask for a rebalance, leave, or wait. It decides nothing about tasks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum, auto

from segue._drain.mark import Mark
from segue._drain.membership import Rounds

_LONGEST_BACKOFF = 16
_SETTLING_S = 1.0


class Step(Enum):
    """What to do."""

    WAIT = auto()
    ASK = auto()
    LEAVE = auto()


@dataclass(frozen=True, slots=True)
class Seen:
    """What is known of a member now. active: tasks that it owns. running: it is at work and in no rebalance."""

    mark: Mark | None
    active: int
    running: bool
    rounds: Rounds


class Backoff:
    """Asking again, more and more seldom: the round that was asked for may be the one that was under way already. Who
    was heard asks as seldom as that gets: others ask once they can take something over, and a round makes all pause.
    """

    def __init__(self, heartbeat_s: float) -> None:
        self._least_s = 2 * heartbeat_s
        self.restart()

    def restart(self) -> None:
        self._asked, self._last_at = 0, -math.inf

    def is_due(self, now: float, *, heard: bool = False) -> bool:
        times = _LONGEST_BACKOFF if heard else min(_LONGEST_BACKOFF, 2 ** max(0, self._asked - 1))
        return now >= self._last_at + self._least_s * times

    def asked(self, now: float) -> None:
        self._last_at = now
        self._asked = min(self._asked + 1, _LONGEST_BACKOFF)


class DrainPolicy:
    """For one thread. `now` is of the monotonic clock of the rounds, in seconds; `wall_ms` that of deadlines."""

    def __init__(self, heartbeat_s: float) -> None:
        self._heartbeat_s = heartbeat_s
        self._backoff = Backoff(heartbeat_s)
        self._mark: Mark | None = None
        self._rounds_before = 0
        self._asked_at_deadline = False
        self._open = False

    def next(self, seen: Seen, wall_ms: int, now: float) -> Step:
        if seen.mark != self._mark:
            self._begin(seen)
            return self._ask(now)
        if self._mark is None:
            return self._ask(now) if self._is_cancelled_unheard(seen, now) else Step.WAIT
        if self.is_empty(seen, now):
            return Step.WAIT if self._mark.stay else Step.LEAVE
        if self._mark.is_overdue(wall_ms) and not self._asked_at_deadline:
            self._asked_at_deadline = True
            self._backoff.restart()
            return self._ask(now)
        due = self._backoff.is_due(now, heard=self._is_heard(seen))
        waits = seen.active == 0 or not due or not self._is_quiet(seen, now)
        return Step.WAIT if waits or not seen.running else self._ask(now)

    def is_empty(self, seen: Seen, now: float) -> bool:
        """Whether nothing is left here, and no round is under way that could bring something."""
        ended = seen.rounds.ended > self._rounds_before and now - seen.rounds.last_at >= _SETTLING_S
        return seen.active == 0 and seen.running and ended

    def _begin(self, seen: Seen) -> None:
        self._mark = seen.mark
        self._rounds_before = seen.rounds.ended
        self._backoff.restart()
        self._asked_at_deadline = False
        self._open = True

    def _is_cancelled_unheard(self, seen: Seen, now: float) -> bool:
        """The leader may have looked just before the mark was gone; then it knows nothing yet."""
        self._open = self._open and seen.rounds.ended == self._rounds_before
        return self._open and seen.running and self._backoff.is_due(now)

    def _is_heard(self, seen: Seen) -> bool:
        return seen.rounds.heard and seen.rounds.ended > self._rounds_before

    def _is_quiet(self, seen: Seen, now: float) -> bool:
        return now - seen.rounds.last_at >= 2 * self._heartbeat_s

    def _ask(self, now: float) -> Step:
        self._backoff.asked(now)
        return Step.ASK
