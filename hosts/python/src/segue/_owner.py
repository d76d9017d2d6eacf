# SPDX-License-Identifier: Apache-2.0
"""Owns one native object: frees it once, and never while a call still uses it."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import NoReturn, SupportsIndex, TypeVar

from segue._errors import ClosedError

Self = TypeVar("Self", bound="Owner")


_owners: weakref.WeakSet[Owner] = weakref.WeakSet()


class Owner:
    """Any thread. `close()` may come twice and during a call: the last running call then frees the object.

    A child process that a fork made has an object of its own, made when it first needs one: the parent's may be in the
    hands of threads that are not there in the child.
    """

    def __init__(self, make: Callable[[], int], free: Callable[[int], None]) -> None:
        self._make = make
        self._free = free
        self._address: int | None = make()
        self._running = 0
        self._closed = False
        self._guard = threading.Lock()
        _owners.add(self)

    @property
    def closed(self) -> bool:
        return self._closed

    @contextmanager
    def _use(self) -> Iterator[int]:
        with self._guard:
            if self._closed:
                raise ClosedError(f"this {type(self).__name__} was closed before", code="bad-argument")
            if self._address is None:
                self._address = self._make()
            address = self._address
            self._running += 1
        try:
            yield address
        finally:
            with self._guard:
                self._running -= 1
            self._free_when_idle()

    def close(self) -> None:
        """Gives the object back. Later calls raise ClosedError; running ones end undisturbed."""
        with self._guard:
            self._closed = True
        self._free_when_idle()

    def _free_when_idle(self) -> None:
        with self._guard:
            if not self._closed or self._running or self._address is None:
                return
            address, self._address = self._address, None
        self._free(address)

    def _forget(self) -> None:
        """In a child after fork. The parent's object is left as it lies: a lock in it may be held for ever."""
        self._address = None
        self._running = 0
        self._guard = threading.Lock()

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        # A copy would free the object under the original's feet.
        raise TypeError(f"a {type(self).__name__} is neither copied nor pickled: it owns a native object")

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        # Only the net below close() and `with`; an object whose constructor failed has nothing to free.
        if hasattr(self, "_guard"):
            self.close()


def _forget_all() -> None:
    for owner in list(_owners):
        owner._forget()


os.register_at_fork(after_in_child=_forget_all)
