# SPDX-License-Identifier: Apache-2.0
"""A partition's state as the application sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping

from segue._errors import InputError


class State(MutableMapping[bytes, bytes]):
    """Keys and values of one partition. Every write goes to the changelog as well.

    It may be kept; once the partition belongs to another member it raises NotOwnedError, and ClosedError once the
    consumer is closed. table: gives the keys and values, or raises these.
    """

    def __init__(
        self, table: Callable[[], MutableMapping[bytes, bytes]], log: Callable[[bytes, bytes | None], None]
    ) -> None:
        self._table = table
        self._log = log

    def __getitem__(self, key: bytes) -> bytes:
        return self._table()[key]

    def __setitem__(self, key: bytes, value: bytes) -> None:
        table = self._table()
        if value is None:
            raise InputError("values are bytes, not None; `del state[key]` deletes a key", code="bad-argument")
        self._log(key, value)
        table[key] = value

    def __delitem__(self, key: bytes) -> None:
        table = self._table()
        if key not in table:
            raise KeyError(key)
        self._log(key, None)
        del table[key]

    def __iter__(self) -> Iterator[bytes]:
        for key in self._table():
            yield key
            self._table()  # who goes on after it was lost or closed hears of that

    def __len__(self) -> int:
        return len(self._table())
