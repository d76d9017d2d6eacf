# SPDX-License-Identifier: Apache-2.0
"""What the owner writes, on its way into the changelog.

Writes of one unit (the record at hand, or what one poll returned) are held back until the unit is done. So nothing
of a unit that the application gave up in the middle reaches the changelog, and the last write can carry the mark of
the input that is in the state now.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from segue._state.marks import headers

Headers = list[tuple[str, bytes]]
Send = Callable[[int, bytes, "bytes | None", Headers], None]


class Work:
    """The writes of one consumer. `send` puts a write into the changelog's partition, in order, without waiting."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._held: dict[int, list[tuple[bytes, bytes | None]]] = {}
        self._unit: dict[int, dict[str, int]] = {}
        self._applied: dict[int, dict[str, int]] = {}
        self.done: dict[int, dict[str, int]] = {}

    def open(self, partition: int, applied: Mapping[str, int]) -> None:
        """Owned from now on; what its state has, by topic."""
        self._applied[partition] = dict(applied)

    def applied(self, partition: int) -> dict[str, int]:
        """By topic the offset below which everything is in the state, and in the changelog once it is flushed."""
        return self._applied[partition]

    @property
    def under_way(self) -> bool:
        """Whether there is a unit that is not done."""
        return bool(self._unit)

    def begin(self, records: Iterable[tuple[int, str, int]]) -> None:
        """A unit: partition, topic and offset of the last record of each input partition in it."""
        for partition, topic, offset in records:
            self._unit.setdefault(partition, {})[topic] = offset + 1

    def write(self, partition: int, key: bytes, value: bytes | None) -> None:
        self._held.setdefault(partition, []).append((key, value))

    def end(self) -> None:
        """The unit is done: its writes go out, and its records need not come again."""
        for partition, offsets in self._unit.items():
            self.done.setdefault(partition, {}).update(offsets)
            applied = self._applied[partition]
            applied.update({topic: max(offset, applied.get(topic, 0)) for topic, offset in offsets.items()})
        for partition, writes in self._held.items():
            *most, last = writes
            for key, value in most:
                self._send(partition, key, value, [])
            self._send(partition, *last, headers(self.applied(partition)))
        self._held.clear()
        self._unit.clear()

    def give_up(self) -> set[int]:
        """The unit was not done. The partitions that it has touched: their stores have writes that nobody else will
        see.
        """
        touched = set(self._held)
        self._held.clear()
        self._unit.clear()
        return touched

    def forget(self, partition: int) -> None:
        """It belongs to somebody else now."""
        for part in (self._held, self._unit, self._applied, self.done):
            part.pop(partition, None)
