# SPDX-License-Identifier: Apache-2.0
"""Who calls an assignor: it knows what one consumer holds, and another would claim the same."""

from __future__ import annotations

import asyncio
import threading
import weakref
from typing import Any

from segue._errors import InputError


class Caller:
    """No client says which consumer it is that asks. But each asks on a thread of its own (kafka-python) or in a task
    of its own (aiokafka), which lives as long as the consumer.
    """

    def __init__(self) -> None:
        self._first: weakref.ref[Any] | None = None

    def check(self) -> None:
        """Raises InputError where another consumer that is still alive has asked before."""
        asking = _asking()
        first = None if self._first is None else self._first()
        if first is not asking and first is not None and _lives(first):
            raise InputError(
                "this SegueAssignor is another consumer's, and knows what that one holds: make one for each",
                code="bad-argument",
            )
        self._first = weakref.ref(asking)


def _asking() -> Any:
    try:
        task = asyncio.current_task()
    except RuntimeError:  # there is no loop on this thread
        task = None
    return threading.current_thread() if task is None else task


def _lives(asking: Any) -> bool:
    return bool(asking.is_alive() if isinstance(asking, threading.Thread) else not asking.done())
