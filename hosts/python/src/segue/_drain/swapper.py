# SPDX-License-Identifier: Apache-2.0
"""Keeps one member to the assignor that the application is told to use."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from segue._drain.drain_policy import Backoff
from segue._drain.membership import Membership
from segue._drain.side_entry import SideEntry
from segue._drain.swap import Choice, Swap

log = logging.getLogger("segue")

_RENEWAL_S = 24 * 60 * 60


class Swapper:
    """Notices a swap, and asks for the rebalance where this member led the last. For one thread, but for `choice`."""

    def __init__(
        self, wish: SideEntry[Swap], configured: str, offered: Sequence[str], member: Membership, heartbeat_s: float
    ) -> None:
        self.choice = Choice(configured, configured)
        self._wish = wish
        self._offered = offered
        self._member = member
        self._backoff = Backoff(heartbeat_s)
        self._seen: Swap | None = None
        self._looked = False
        self._written_at = 0.0

    def next(self, now: float, running: bool) -> str | None:
        """To be called after each look: why a rebalance is to be asked for, if it is. running: none is under way."""
        news = self._wish.known != self._seen
        if news:
            self._notice(now)
        change, self._looked = news and self._looked, True
        led = self._member.led
        other = led is not None and led.assignor != self.choice.assignor
        if led is None or not (change or (other and running and self._backoff.is_due(now))):
            return None
        self._backoff.asked(now)
        return f"{self.choice.assignor} is to assign"

    def renew(self, now: float) -> None:
        """A side group that nobody writes to expires; to be called when the wish has just been read."""
        if self._seen and self._member.led and now - self._written_at >= _RENEWAL_S:
            self._written_at = now
            self._wish.write(self._seen)

    def _notice(self, now: float) -> None:
        self._seen = self._wish.known
        self._backoff.restart()
        self._written_at = now
        self.choice = Choice.of(self.choice.configured, self._offered, self._seen)
        by = self._seen.by if self._seen else ""
        if self.choice.refused:
            log.warning(
                "there is no assignor %s here, which %s wishes for: this member goes on with %s; there are %s",
                self.choice.refused, by, self.choice.assignor, ", ".join(self._offered),
            )  # fmt: skip
        elif self._seen:
            log.info("from the next rebalance on %s assigns, as %s wishes", self.choice.assignor, by)
        else:
            log.info("from the next rebalance on %s assigns, as configured", self.choice.assignor)
