# SPDX-License-Identifier: Apache-2.0
"""A stateful consumer of any client, as a drain sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from segue._clients.beats import Beats
from segue._clients.knock import Asking
from segue._drain.presence import Copies
from segue._state.keeper import Keeper


class StatefulView:
    """The part of a seat that is the same for all clients."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper

    def asking(
        self,
        beats: Beats,
        running: Callable[[], bool],
        rejoin: Callable[[], None],
        ring: Callable[[Callable[[bool], None]], None],
    ) -> Asking:
        """How it asks for a rebalance."""
        engine, member = self._keeper.engine, self._keeper.assignor.member
        return Asking(
            beats=beats,
            owns=lambda: bool(engine.answer.active),
            running=running,
            rounds=lambda: member.rounds.ended,
            rejoin=rejoin,
            ring=ring,
        )

    def topics(self) -> Iterable[str]:
        return self._keeper.topics

    def active(self) -> int:
        return len(self._keeper.engine.answer.active)

    def copies(self) -> Copies:
        """The standbys and learners that it keeps, how many are caught up, and what is left to replay in all."""
        engine = self._keeper.engine
        answer, lags = engine.answer, engine.lags()
        behind = [lags.get(partition) for partition in answer.standby | answer.learner]
        known = [lag for lag in behind if lag is not None]
        ready = sum(lag <= engine.acceptable_lag for lag in known)
        return Copies(len(behind), ready, sum(known) if len(known) == len(behind) else None)
