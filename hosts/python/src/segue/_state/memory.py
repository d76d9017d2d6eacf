# SPDX-License-Identifier: Apache-2.0
"""State in dicts: it is gone with the process, and read again from the changelog."""

from __future__ import annotations

from collections.abc import Collection, Mapping, MutableMapping, Sequence

from segue._state.marks import newest
from segue._state.store import Record, TableStore


class MemoryStore(TableStore):
    """Keeps keys and values in memory. A member that comes back learns everything again."""

    def __init__(self) -> None:
        self._tables: dict[int, dict[bytes, bytes]] = {}
        self._positions: dict[int, int] = {}
        self._applied: dict[int, Mapping[str, int]] = {}

    def partitions(self) -> Collection[int]:
        return self._positions.keys()

    def position(self, partition: int) -> int:
        return self._positions.get(partition, 0)

    def applied(self, partition: int) -> Mapping[str, int]:
        return self._applied.get(partition, {})

    def table(self, partition: int) -> MutableMapping[bytes, bytes]:
        return self._tables.setdefault(partition, {})

    def restore(self, partition: int, records: Sequence[Record]) -> None:
        table = self._tables.setdefault(partition, {})
        for record in records:
            if record.value is None:
                table.pop(record.key, None)
            else:
                table[record.key] = record.value
        self.flush(partition, records[-1].offset + 1, newest(records, self.applied(partition)))

    def flush(self, partition: int, position: int, applied: Mapping[str, int]) -> None:
        self._positions[partition] = position
        self._applied[partition] = applied

    def drop(self, partition: int) -> None:
        for part in (self._tables, self._positions, self._applied):
            part.pop(partition, None)
