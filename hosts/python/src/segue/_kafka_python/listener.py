# SPDX-License-Identifier: Apache-2.0
"""What kafka-python calls on its IO thread while the application's thread waits in `poll`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any

from kafka import AsyncConsumerRebalanceListener
from kafka.future import Future

from segue._state.keeper import Keeper
from segue._state.log import log


class Listener(AsyncConsumerRebalanceListener):  # type: ignore[misc]  # kafka-python has no types
    """Has everything flushed and committed before the member joins, and keeps what is new from being read.

    live: the partitions that are read. lost: they went to others without a hand-over. closed: the consumer has handed
    over already.
    """

    def __init__(self, client: Any, keeper: Keeper, hand_over: Callable[[], None]) -> None:
        self._client = client
        self._keeper = keeper
        self._hand_over = hand_over
        self._fault: BaseException | None = None
        self.live: set[int] = set()
        self.lost = False
        self.closed = False

    def raise_fault(self) -> None:
        """What went wrong at the last hand-over, once, on the application's thread."""
        fault, self._fault = self._fault, None
        if fault is not None:
            raise fault

    async def on_partitions_revoked(self, revoked: Iterable[Any]) -> None:
        """In a thread of its own, because it waits for the IO thread; heartbeats go on meanwhile."""
        self._keeper.engine.quiet = True
        if self.live and not self.closed:
            done = Future()
            threading.Thread(target=self._run, args=(done,), name="segue-hand-over", daemon=True).start()
            await done

    async def on_partitions_assigned(self, assigned: Iterable[Any]) -> None:
        self.live.intersection_update({place.partition for place in assigned})
        self._client.pause(*(place for place in assigned if place.partition not in self.live))

    async def on_partitions_lost(self, lost: Iterable[Any]) -> None:
        self.live.clear()
        self.lost = True
        self._keeper.taken(None)

    def _run(self, done: Any) -> None:
        try:
            self._hand_over()
        except BaseException as fault:
            log.exception("not all could be flushed and committed before the rebalance: it is processed again")
            self._fault = fault
        finally:
            self._client._net.call_soon_threadsafe(lambda: _finish(done))


def _finish(done: Any) -> None:
    done.success(None)
