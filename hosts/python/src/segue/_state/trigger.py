# SPDX-License-Identifier: Apache-2.0
"""When learners that are ready are worth a rebalance."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Trigger:
    """Which learners the leader has been told of, and since when others wait."""

    batch_s: float
    said: frozenset[int] = field(default_factory=frozenset)
    since: float | None = None

    def due(self, ready: frozenset[int], near: frozenset[int], learners: frozenset[int], now: float) -> bool:
        """Readiness is gathered, since every rejoin makes the whole group pause: until all are near, or for the
        batch.
        """
        if not ready - self.said:
            self.since = None
            return False
        self.since = now if self.since is None else self.since
        return near == learners or now - self.since >= self.batch_s
