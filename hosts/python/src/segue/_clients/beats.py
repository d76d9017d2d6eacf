# SPDX-License-Identifier: Apache-2.0
"""When the members of a group send their heartbeats: all at the same moments.

A member hears of a rebalance at its next heartbeat, gives up its partitions, and gets them back once the last member
has heard of it too. With heartbeats at any time that is up to a whole interval later. So all go by the clock: at the
multiples of the interval since the epoch, shifted by the group's name, so that not all groups of a broker go at once.
They are as many as without this. Clocks that differ cost what they differ by, and are no worse than none.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable

# Parts of an interval. Who has sent one, or has just joined, sends none for so long. A rebalance is best asked for
# between the two others: some heartbeats are late, and asking takes its time.
_LEAST = 0.25
_CALM = (0.15, 0.75)


class Beats:
    """The heartbeats of one group. Any thread. clock: gives the time in seconds since the epoch, for tests."""

    def __init__(self, group: str, interval_s: float, clock: Callable[[], float] = time.time) -> None:
        self.interval_s = max(interval_s, 0.001)
        self._shift = zlib.crc32(group.encode()) / 2**32
        self._clock = clock

    def left_s(self, since_s: float) -> float:
        """Seconds until the next one. since_s: so long ago this member sent the last, or joined. Wherever the clock is
        set to, no more than an interval and a quarter is between two.
        """
        behind = self._at(self._clock() - since_s + _LEAST * self.interval_s) % 1
        return max(0.0, (_LEAST + 1 - behind) * self.interval_s - since_s)

    def calm(self) -> bool:
        """Whether no member should be about to send one: of what is asked for now all hear at the next."""
        return _CALM[0] <= self._at(self._clock()) % 1 <= _CALM[1]

    def _at(self, seconds: float) -> float:
        """In intervals; the whole numbers are the moments."""
        return seconds / self.interval_s - self._shift
