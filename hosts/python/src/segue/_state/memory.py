# SPDX-License-Identifier: Apache-2.0
"""State in dicts: it is gone with the process, and read again from the changelog."""

from __future__ import annotations

import _thread
import time
from collections.abc import Collection, Mapping, MutableMapping, Sequence

from segue._state.marks import newest
from segue._state.store import Record, TableStore

# Entries that are freed at once, and what is waited between: nothing else runs meanwhile, and 200,000 take 6 ms.
_SLICE = 1_000
_PAUSE_S = 0.001


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
        """Memory is given back by and by: a copy is dropped amid a rebalance, while its owner has others to go on
        with.
        """
        table = self._tables.pop(partition, {})
        self._positions.pop(partition, None)
        self._applied.pop(partition, None)
        if len(table) > _SLICE:
            _thread.start_new_thread(_free, (table,))  # threading.Thread would be waited for until it runs


def _free(table: dict[bytes, bytes]) -> None:
    while table:
        time.sleep(_PAUSE_S)
        for _ in range(min(_SLICE, len(table))):
            table.popitem()
