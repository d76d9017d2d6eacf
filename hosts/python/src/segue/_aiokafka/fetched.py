# SPDX-License-Identifier: Apache-2.0
"""Records that the client has fetched and that the application has not got yet."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Collection, Iterable
from typing import Any

from aiokafka import AIOKafkaConsumer, TopicPartition

# Records that are taken from the client at once.
AT_ONCE = 500
# How long one fetch waits for records; whoever wants to wait longer asks again.
WAIT_MS = 1_000


class Fetched:
    """Whatever the application cancels, no record is lost: what a fetch brings stays here until it is given out.

    A fetch is never cancelled either: aiokafka would count the application as busy fetching for ever.
    next: by partition the offset behind the last record that was given out.
    """

    def __init__(self, client: AIOKafkaConsumer) -> None:
        self._client = client
        self._records: dict[TopicPartition, deque[Any]] = {}
        self._fetch: asyncio.Task[Any] | None = None
        self.next: dict[TopicPartition, int] = {}

    async def take(self, served: Callable[[], Collection[int]], most: int | None) -> dict[TopicPartition, list[Any]]:
        """So many records in all of what is here of served partitions. Does not wait; raises what aiokafka raises.
        What is here of others is kept, and no more of them is fetched until they are resumed.
        """
        if self._fetch is not None and self._fetch.done():
            fetch, self._fetch = self._fetch, None
            self._add(fetch.result())
        if self._records.keys() <= self._ahead(served()):
            self._add(await self._client.getmany(max_records=AT_ONCE))
        ahead = self._ahead(served())
        self._client.pause(*(ahead & self._client.assignment()))
        found: dict[TopicPartition, list[Any]] = {}
        for place in [place for place in self._records if place not in ahead]:
            if most == 0:
                break
            found[place] = self._pop(place, most)
            most = None if most is None else most - len(found[place])
        return found

    async def wait(self, news: asyncio.Future[None], timeout_s: float, *, closed: bool) -> None:
        """Until there are records, or other news, or the time is over. closed: there is nothing to take before news.

        There is a fetch in any case: whom aiokafka does not see fetching for max_poll_interval_ms it does not let join.
        """
        if self._fetch is None:
            self._fetch = asyncio.create_task(self._client.getmany(timeout_ms=WAIT_MS, max_records=AT_ONCE))
        waited_for = {news} if closed and self._fetch.done() else {news, self._fetch}
        await asyncio.wait(waited_for, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)

    def drop(self) -> None:
        """The partitions are given up. What was not given out will be fetched again, by whoever has them then.

        A fetch that still waits goes on: what it finds after this is of the next assignment.
        """
        if self._fetch is not None and self._fetch.done():
            fetch, self._fetch = self._fetch, None
            if fetch.exception() is None:
                self._add(fetch.result())
        for place, records in self._records.items():
            self.next.setdefault(place, records[0].offset)
        self._records.clear()

    def keep(self, places: Iterable[TopicPartition]) -> None:
        """Of all others another member may have read on meanwhile."""
        self.next = {place: self.next[place] for place in places if place in self.next}

    async def stop(self) -> None:
        """After the client has stopped."""
        if self._fetch is not None:
            self._fetch.cancel()
            with contextlib.suppress(Exception, asyncio.CancelledError):
                await self._fetch

    def _ahead(self, served: Collection[int]) -> set[TopicPartition]:
        """What was fetched before it may be given out."""
        return {place for place in self._records if place.partition not in served}

    def _add(self, batches: dict[TopicPartition, list[Any]]) -> None:
        for place, records in batches.items():
            self._records.setdefault(place, deque()).extend(records)

    def _pop(self, place: TopicPartition, most: int | None) -> list[Any]:
        waiting = self._records[place]
        count = len(waiting) if most is None else min(most, len(waiting))
        found = [waiting.popleft() for _ in range(count)]
        if not waiting:
            del self._records[place]
        self.next[place] = found[-1].offset + 1
        return found
