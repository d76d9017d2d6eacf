# SPDX-License-Identifier: Apache-2.0
"""The task that reads changelogs back: for learners, standbys, and for what is about to start."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from aiokafka import AIOKafkaConsumer, TopicPartition

from segue._aiokafka.fetcher import look_again
from segue._aiokafka.topics import Topics, idle
from segue._state.engine import Engine
from segue._state.log import log

# Records that go into the store at once. Fewer make a long restore longer, more make the loop wait longer for each.
SLICE = 1_000
# The same where something is served. Python collects garbage after 700 objects, and a record is two: what is used then
# counts as long-lived, and again and again all threads would wait while the whole heap is gone through.
SERVING_SLICE = 250
# How long a broker may hold an answer back while there is nothing new. What is asked next has to wait for it.
FETCH_WAIT_MS = 100
LOOK_AGAIN_MS = 100
AFTER_A_FAULT_S = 1.0


class Replay:
    """on_thread: calls something that may block, such as the store."""

    def __init__(self, engine: Engine, topics: Topics, on_thread: Callable[..., Awaitable[Any]]) -> None:
        self._engine = engine
        self._topics = topics
        self._on_thread = on_thread
        self._reader: AIOKafkaConsumer | None = None
        self._task: asyncio.Task[None] | None = None
        self._places: dict[TopicPartition, int] = {}
        self._version = -1
        self._news = asyncio.Event()

    async def start(self, options: Mapping[str, Any], turn: Callable[[], Awaitable[None]]) -> None:
        """Connects, and goes on in a task of its own; `turn` is awaited after each of its steps."""
        self._turn = turn
        self._reader = AIOKafkaConsumer(
            **options,
            group_id=None,
            auto_offset_reset="earliest",
            enable_auto_commit=False,
            fetch_max_wait_ms=FETCH_WAIT_MS,
        )
        idle(self._reader, self._place(0))
        await self._reader.start()
        self._task = asyncio.create_task(self._loop(self._reader))

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        if self._reader is not None:
            await self._reader.stop()

    def wake(self) -> None:
        """Something else may be wanted now."""
        self._news.set()

    async def _loop(self, reader: AIOKafkaConsumer) -> None:
        while True:
            try:
                await self._step(reader)
            except Exception:
                log.exception("%s cannot be read; it is tried again", self._topics.changelog)
                await asyncio.sleep(AFTER_A_FAULT_S)

    async def _step(self, reader: AIOKafkaConsumer) -> None:
        self._news.clear()
        await self._adopt(reader)
        await self._topics.ask(self._engine)
        await self._turn()
        if self._engine.stands_back:
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._news.wait(), LOOK_AGAIN_MS / 1000)
        elif self._version == self._engine.version:
            await self._read(reader, await self._fetch(reader))
            await self._turn()

    async def _adopt(self, reader: AIOKafkaConsumer) -> None:
        """Reads what the engine wants, from where it wants it. What a promotion does not change is left as it is."""
        self._version = self._engine.version
        there = range(self._topics.partitions)
        wanted = {self._place(number): at for number, at in self._engine.wanted().items() if number in there}
        if wanted == self._places:
            return
        self._places = wanted
        if not wanted:
            idle(reader, self._place(0))
            return
        reader.assign(list(wanted))
        for place, offset in wanted.items():
            reader.seek(place, offset)
        await look_again(reader)

    async def _fetch(self, reader: AIOKafkaConsumer) -> dict[TopicPartition, list[Any]]:
        """Waits for records, or until something else is wanted."""
        most = SERVING_SLICE if self._engine.serving else SLICE
        if self._places and (fetched := await reader.getmany(max_records=most)):
            return dict(fetched)
        fetch: asyncio.Task[dict[TopicPartition, list[Any]]] = asyncio.create_task(
            reader.getmany(timeout_ms=LOOK_AGAIN_MS, max_records=most)
        )
        news = asyncio.create_task(self._news.wait())
        try:
            await asyncio.wait({fetch, news}, return_when=asyncio.FIRST_COMPLETED)
            return fetch.result() if fetch.done() else {}
        finally:
            # A fetch that is cancelled has not taken anything yet.
            fetch.cancel()
            news.cancel()

    async def _read(self, reader: AIOKafkaConsumer, fetched: Mapping[TopicPartition, list[Any]]) -> None:
        for place, records in fetched.items():
            await self._on_thread(self._engine.restore, place.partition, records)
        for place in self._places:
            position = self._places[place] = await reader.position(place)
            # Another thread may have thrown the copy away meanwhile; then its place in the changelog is another, too.
            if self._version == self._engine.version:
                self._engine.progress(place.partition, position, reader.highwater(place))

    def _place(self, number: int) -> TopicPartition:
        return TopicPartition(self._topics.changelog, number)
