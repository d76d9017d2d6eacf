# SPDX-License-Identifier: Apache-2.0
"""Workers of Faust's own assignor, who say nothing of their copies.

What such a worker learns counts as caught up after `probing.rebalance.interval.ms`, and the leader asks for the
rebalance that hands it over. It remembers since when; another leader begins anew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from segue._clients.user_data import Partition
from segue._faust.wire import Said
from segue._faust.workers import Assigned, Worker


class Probation:
    """Of one leader. Learners are known by worker and partition."""

    def __init__(self, interval_s: float, clock: Callable[[], float]) -> None:
        self._interval_s = interval_s
        self._clock = clock
        self._since: dict[tuple[str, Partition], float] = {}

    def speak_for(self, workers: Sequence[Worker]) -> list[Worker]:
        """The workers, with what those of Faust's own would have said."""
        return [worker if worker.said is not None else replace(worker, said=self._said(worker)) for worker in workers]

    def begin(self, workers: Sequence[Worker], given: Mapping[str, Assigned]) -> None:
        """What they learn from now on, or go on learning."""
        now = self._clock()
        silent = [worker.id for worker in workers if worker.said is None]
        learning = {(id, place) for id in silent for place in given[id].learners}
        self._since = {one: self._since.get(one, now) for one in learning}

    def ends_at(self) -> float | None:
        """When the last of those that learn is through."""
        return max(self._since.values()) + self._interval_s if self._since else None

    def _said(self, worker: Worker) -> Said:
        through = self._clock() - self._interval_s
        learns = {place for id, place in self._since if id == worker.id} & worker.standbys
        return Said(
            learner=frozenset(learns),
            ready=frozenset(place for place in learns if self._since[worker.id, place] <= through),
        )
