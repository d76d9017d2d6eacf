# SPDX-License-Identifier: Apache-2.0
"""When to ask for a hand-over. Each rebalance stops every worker for a moment, so readiness is gathered first."""

from __future__ import annotations

from collections.abc import Callable

from segue._clients.user_data import Partition

# A request while a join is in flight is lost: ask again as long as the news has not been said in a join.
AGAIN_S = 5.0


class Trigger:
    """Compares the learners that are ready with those of which the last join said so. `said` may be called by another
    thread.
    """

    def __init__(self, batch_s: float, clock: Callable[[], float]) -> None:
        self._batch_s = batch_s
        self._clock = clock
        self._said: frozenset[Partition] = frozenset()
        self._due: float | None = None

    def said(self, ready: frozenset[Partition]) -> None:
        """It stood in what this worker joined with."""
        self._said = ready

    def wants(self, ready: frozenset[Partition]) -> bool:
        """Whether to ask now."""
        if ready <= self._said:
            self._due = None
            return False
        now = self._clock()
        if self._due is None:
            self._due = now + self._batch_s
        if now < self._due:
            return False
        self._due = now + AGAIN_S
        return True
