# SPDX-License-Identifier: Apache-2.0
"""How far this worker's copies of state are.

Only the application's own loop looks, since Faust changes what is looked at there; the consumer's thread, where a
worker joins, takes the last picture as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from segue._clients.user_data import Partition
from segue._faust.tables import dormant, tables_of
from segue._faust.wire import Copy


@dataclass(frozen=True, slots=True)
class Picture:
    """ready: standbys and learners that have read all that there was when they began, and are near the end since."""

    copies: Mapping[Partition, Copy] = field(default_factory=dict)
    ready: frozenset[Partition] = field(default_factory=frozenset)


class Copies:
    """Looks at the recovery of an application's tables."""

    def __init__(self, app: Any, acceptable: int) -> None:
        self._app = app
        self._acceptable = acceptable
        self.picture = Picture()

    def look(self) -> Picture:
        """Call it on the application's loop. What is held no longer stays where it was seen last: a dormant copy."""
        assignor = self._app.assignor
        held = assignor.assigned_actives() | assignor.assigned_standbys()
        seen = self.picture.copies.items()
        copies = {place: copy if place in held else Copy(copy.position) for place, copy in seen}
        copies.update((place, Copy()) for place in set(dormant(self._app)) - set(copies))
        ready = set[Partition]()
        if self._app.rebalancing:
            copies.update(self._restoring())
            ready.update(self.picture.ready)
        else:
            copies.update(self._owned())
            for place, copy, caught_up in self._beside():
                copies[place] = copy
                ready |= {place} if caught_up else set()
        self.picture = Picture(copies, frozenset(ready))
        return self.picture

    def on_disk(self) -> Picture:
        """The last picture, or before the first one what lies on the disk. For the consumer's thread."""
        if self.picture.copies or self.picture.ready:
            return self.picture
        return Picture({place: Copy() for place in dormant(self._app)})

    def learns_beside_own(self, ready: frozenset[Partition]) -> bool:
        """Whether this worker has tasks to work on, and copies that are not ready."""
        recovery = self._app.tables.recovery
        return bool(recovery.active_tps) and any(place not in ready for place in self._own(recovery.standby_tps))

    def _restoring(self) -> Iterator[tuple[Partition, Copy]]:
        """Owned copies that are being restored, which is within a rebalance to Faust."""
        recovery = self._app.tables.recovery
        if recovery.in_recovery:
            for place in self._own(recovery.active_tps):
                offset, last = recovery.active_offsets.get(place), recovery.active_highwaters.get(place)
                if offset is not None and last is not None:
                    yield place, Copy(max(offset + 1, 0), max(last + 1, 0))

    def _owned(self) -> Iterator[tuple[Partition, Copy]]:
        recovery = self._app.tables.recovery
        for place in self._own(recovery.active_tps):
            offset = recovery.tp_to_table[place].persisted_offset(place)
            position = 0 if offset is None else offset + 1
            yield place, Copy(position, position)

    def _beside(self) -> Iterator[tuple[Partition, Copy, bool]]:
        """Standbys. Faust compares them with the end as it was when they began; the end has moved on since."""
        recovery = self._app.tables.recovery
        for place in self._own(recovery.standby_tps):
            offset, last = recovery.standby_offsets.get(place), recovery.standby_highwaters.get(place)
            if offset is None or last is None:
                continue
            position = max(offset + 1, self._fetched(place), 0)
            end = max(last + 1, self._end(place), 0)
            caught_up = position > last and end - position <= self._acceptable
            yield place, Copy(position, max(position, end)), caught_up

    def _own(self, places: Any) -> list[Any]:
        changelogs = tables_of(self._app).on_disk
        return [place for place in places if place[0] in changelogs]

    def _end(self, place: Any) -> int:
        """As of the last fetch; 0 where there was none."""
        try:
            return int(self._app.consumer.highwater(place) or 0)
        except Exception:
            return 0

    def _fetched(self, place: Any) -> int:
        """Transactions leave marks in a changelog that are no records: a copy is past them when nothing waits."""
        if not self._app.in_transaction or not self._app.tables.changelog_queue.empty():
            return 0
        try:
            subscribed = self._app.consumer._thread._consumer._subscription.subscription
            return int(subscribed.assignment.state_value(place).position)
        except Exception:
            return 0
