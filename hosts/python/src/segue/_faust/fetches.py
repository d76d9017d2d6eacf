# SPDX-License-Identifier: Apache-2.0
"""How this worker fetches. Faust's settings do not reach it.

Order: when a recovery has ended Faust first lets the records of streams in, and then goes back to committed offsets.
What it gets in between makes it take what it goes back over for read. So nothing of a stream comes in before a
rebalance has ended.

Pause: where everything is paused, as for a moment in each rebalance, Faust looks again after a second.

Wait: a fetch waits at the broker until something comes, by Faust for 1.5 s. What is resumed meanwhile, as each step of
a recovery does, waits with it.

Bytes: all that a fetch brought is worked through before the next one is asked for. A megabyte of each changelog that is
being learnt would keep the worker's own records waiting for seconds, so that learning takes smaller bites beside them.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

log = logging.getLogger("segue")

_PAUSE_S = 0.01
_LOOKS = 100
# What is buffered and wanted only now does not wake up who waits for something new.
_TURN_S = 0.1


class Fetches:
    """Sets the consumer's fetcher. It reads both sizes at each fetch, so that any thread may set them."""

    def __init__(self, app: Any, wait_ms: int, learning_bytes: int) -> None:
        self._app = app
        self._wait_ms = wait_ms
        self._learning_bytes = learning_bytes
        self._begun = False
        self._fetcher: Any = None
        self._own_bytes = 0

    def begin(self) -> None:
        """Once the consumer is there. A version of aiokafka that is otherwise inside is left as it is."""
        consumer = self._app._consumer
        if self._begun or consumer is None:
            return
        self._begun = True
        take_in_order(self._app, consumer)
        fetcher: Any = getattr(getattr(consumer._thread, "_consumer", None), "_fetcher", None)
        wait, size = (getattr(fetcher, name, None) for name in ("_fetch_max_wait_ms", "_max_partition_fetch_bytes"))
        if not isinstance(wait, int) or not isinstance(size, int):
            log.info("fetches are as large as Faust has them: this version of aiokafka does not tell how it fetches")
            return
        self._fetcher, self._own_bytes = fetcher, size
        if self._wait_ms:
            fetcher._fetch_max_wait_ms = min(wait, self._wait_ms)

    def learning(self, beside_own: bool) -> None:
        """Whether something is learnt beside records of this worker's own."""
        if self._fetcher is not None and self._learning_bytes:
            limit = self._learning_bytes if beside_own else self._own_bytes
            self._fetcher._max_partition_fetch_bytes = min(self._own_bytes, limit)


def take_in_order(app: Any, consumer: Any) -> None:
    """In place of Faust's own way to the next records."""
    wanted = Wanted(app, consumer)

    async def next_records(timeout: float) -> tuple[Any, Wanted]:
        if not consumer.flow_active:
            await consumer.wait(consumer.can_resume_flow)
        for _ in range(_LOOKS):
            if wanted.any() or consumer.should_stop:
                break
            await asyncio.sleep(_PAUSE_S)
        return (await consumer._getmany(wanted, min(timeout, _TURN_S)) if wanted.any() else {}), wanted

    consumer._wait_next_records = next_records


class Wanted:
    """The partitions that may come in, as they are whenever somebody looks: a fetch is under way while they change."""

    def __init__(self, app: Any, consumer: Any) -> None:
        self._app = app
        self._consumer = consumer

    def __contains__(self, place: Any) -> bool:
        active = place in (self._consumer._active_partitions or ())
        return active and (not self._app.rebalancing or place[0] in self._app.tables._changelogs)

    def any(self) -> bool:
        return any(place in self for place in list(self._consumer._get_active_partitions()))
