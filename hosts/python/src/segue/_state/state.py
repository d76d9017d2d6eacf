# SPDX-License-Identifier: Apache-2.0
"""A partition's state as the application sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping


class State(MutableMapping[bytes, bytes]):
    """Keys and values of one partition. Every write goes to the changelog as well.

    It may be kept; once the partition belongs to another member, writing raises NotOwnedError.
    """

    def __init__(self, table: MutableMapping[bytes, bytes], log: Callable[[bytes, bytes | None], None]) -> None:
        self._table = table
        self._log = log

    def __getitem__(self, key: bytes) -> bytes:
        return self._table[key]

    def __setitem__(self, key: bytes, value: bytes) -> None:
        self._log(key, value)
        self._table[key] = value

    def __delitem__(self, key: bytes) -> None:
        if key not in self._table:
            raise KeyError(key)
        self._log(key, None)
        del self._table[key]

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._table)

    def __len__(self) -> int:
        return len(self._table)
