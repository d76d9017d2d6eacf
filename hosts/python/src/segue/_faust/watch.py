# SPDX-License-Identifier: Apache-2.0
"""Looks after a worker's copies, and asks for the rebalance that hands them over."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from typing import Any

from segue._drain.membership import Membership
from segue._faust.copies import Copies, Picture
from segue._faust.fetches import Fetches
from segue._faust.seat import FaustSeat
from segue._faust.settings import ACCEPTABLE, BATCH, FETCH_WAIT, LEARNING_BYTES
from segue._faust.trigger import Trigger
from segue._faust.wire import Said

log = logging.getLogger("segue")

TICK_S = 0.2


class Watch:
    """One for each worker. `says` and `hears` are called by the consumer's thread.

    on_begin: called on the application's loop, at the first assignment.
    """

    def __init__(self, app: Any, own: Mapping[str, int], member: Membership, on_begin: Callable[[], None]) -> None:
        self._app = app
        self._member = member
        self._on_begin = on_begin
        self._copies = Copies(app, own[ACCEPTABLE])
        self._fetches = Fetches(app, own[FETCH_WAIT], own[LEARNING_BYTES])
        self._trigger = Trigger(own[BATCH] / 1000, time.monotonic)
        self._task: asyncio.Future[Any] | None = None
        self._heard = Said()
        self._until: float | None = None
        self.seat = FaustSeat(app, member, lambda: self._heard, lambda: self._copies.picture)

    @property
    def heard(self) -> Said:
        """What the leader answered last."""
        return self._heard

    def says(self) -> Said:
        """What this worker joins with."""
        picture: Picture = self._copies.on_disk()
        self._trigger.said(picture.ready & self._heard.learner)
        return Said(
            round=self._heard.round,
            learner=self._heard.learner,
            ready=picture.ready,
            copies=picture.copies,
            voice=self._member.say(),
        )

    def hears(self, answer: Said, until: float | None) -> None:
        """A new assignment. The first one starts the watch. until: when this worker, as it leads, asks for the next."""
        self._heard = answer
        self._until = until
        # Before the recovery begins to read.
        self._attempt(self._fetches.begin)
        self._fetches.learning(bool(self._app.assignor.assigned_actives() and self._app.assignor.assigned_standbys()))
        self._member.round_ended(answer.nobody_stays)
        self._app.loop.call_soon_threadsafe(self._begin)

    def _begin(self) -> None:
        if self._task is None:
            self._task = self._app.add_future(self._watch())

    async def _watch(self) -> None:
        self._attempt(self._on_begin)
        while not self._app.should_stop:
            await asyncio.sleep(TICK_S)
            self._attempt(self._look)

    @staticmethod
    def _attempt(action: Callable[[], None]) -> None:
        """A fault here must end neither the watch nor the application."""
        try:
            action()
        except Exception:
            log.warning("looking after this worker failed", exc_info=True)

    def _look(self) -> None:
        """Only learners are news: what a standby has caught up with changes nothing."""
        ready = self._copies.look().ready
        self._fetches.learning(self._copies.learns_beside_own(ready))
        learners = ready & self._heard.learner
        if self._app.rebalancing:
            return
        if self._trigger.wants(learners):
            log.info("asking for a rebalance: %d learners are ready", len(learners))
            self.seat.rejoin()
        elif self._until is not None and time.monotonic() >= self._until:
            log.info("asking for a rebalance: workers without segue have had their time to learn")
            self._until = None
            self.seat.rejoin()
