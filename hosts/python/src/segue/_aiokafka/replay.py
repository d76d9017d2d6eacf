# SPDX-License-Identifier: Apache-2.0
"""The task that reads changelogs back: for learners, standbys, and for what is about to start."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import UnknownTopicOrPartitionError

from segue._errors import ChangelogError
from segue._state.engine import Engine
from segue._state.log import log

# Records that go into the store at once. Fewer make a long restore longer, more make the loop wait longer for each.
SLICE = 1_000
# How long a broker may hold an answer back while there is nothing new. What is asked next has to wait for it.
FETCH_WAIT_MS = 100
LOOK_AGAIN_MS = 100
AFTER_A_FAULT_S = 1.0


class Replay:
    """Two consumers without a group. One fetches; the other asks where the changelog ends: a broker answers a
    connection's requests one after the other, and a fetch waits there for news.

    on_thread: calls something that may block, such as the store.
    """

    def __init__(self, engine: Engine, changelog: str, on_thread: Callable[..., Awaitable[Any]]) -> None:
        self._engine = engine
        self._changelog = changelog
        self._on_thread = on_thread
        self._consumers: list[AIOKafkaConsumer] = []
        self._task: asyncio.Task[None] | None = None
        self._places: dict[TopicPartition, int] = {}
        self._version = -1
        self._news = asyncio.Event()

    async def start(self, options: Mapping[str, Any]) -> None:
        """Connects. Raises ChangelogError where there is no such topic."""
        try:
            self._reader = await self._consumer(options)
            self._asker = await self._consumer(options)
        except UnknownTopicOrPartitionError as fault:
            raise ChangelogError(
                f"{self._changelog} is missing: the changelog is a compacted topic with as many partitions as the "
                "input",
                code="no-topic",
            ) from fault

    def run(self, turn: Callable[[int], Awaitable[None]]) -> None:
        """From now on in a task of its own. `turn` is awaited after each of its steps, and told of how many partitions
        there are.
        """
        self._turn = turn
        self._task = asyncio.create_task(self._loop())

    async def _consumer(self, options: Mapping[str, Any]) -> AIOKafkaConsumer:
        made = AIOKafkaConsumer(
            **options,
            group_id=None,
            auto_offset_reset="earliest",
            enable_auto_commit=False,
            fetch_max_wait_ms=FETCH_WAIT_MS,
        )
        self._consumers.append(made)
        self._assign(made, {})
        await made.start()
        return made

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        for one in self._consumers:
            await one.stop()

    def partitions(self) -> int:
        """How many the changelog has."""
        return len(self._asker.partitions_for_topic(self._changelog) or ())

    def wake(self) -> None:
        """Something else may be wanted now."""
        self._news.set()

    async def _loop(self) -> None:
        while True:
            try:
                await self._step()
            except Exception:
                log.exception("%s cannot be read; it is tried again", self._changelog)
                await asyncio.sleep(AFTER_A_FAULT_S)

    async def _step(self) -> None:
        self._news.clear()
        self._adopt()
        await self._ask()
        await self._turn(self.partitions())
        if self._version == self._engine.version:
            await self._read(await self._fetch())
            await self._turn(self.partitions())

    def _adopt(self) -> None:
        """Reads what the engine wants, from where it wants it. What a promotion does not change is left as it is."""
        self._version = self._engine.version
        there = range(self.partitions())
        wanted = {self._place(number): at for number, at in self._engine.wanted().items() if number in there}
        if wanted != self._places:
            self._places = wanted
            self._assign(self._reader, wanted)

    def _assign(self, consumer: AIOKafkaConsumer, places: Mapping[TopicPartition, int]) -> None:
        """A client without an assignment would ask for the metadata of all topics there are, so that it gets one."""
        consumer.assign(list(places) or [self._place(0)])
        for place, offset in places.items():
            consumer.seek(place, offset)
        if not places:
            consumer.pause(self._place(0))

    async def _ask(self) -> None:
        """A partition that the changelog has not got is left out: it would be waited for, and all others with it."""
        questions = self._engine.questions()
        there = range(self.partitions())
        if any(number not in there for number in questions.ends | questions.beginnings):
            self._asker._client.force_metadata_update()
        if asked := questions.among(there):
            ends = await self._asker.end_offsets([self._place(number) for number in asked.ends])
            beginnings = await self._asker.beginning_offsets([self._place(number) for number in asked.beginnings])
            self._engine.answered(asked, _numbered(ends), _numbered(beginnings))

    async def _fetch(self) -> dict[TopicPartition, list[Any]]:
        """Waits for records, or until something else is wanted."""
        if self._places and (fetched := await self._reader.getmany(max_records=SLICE)):
            return dict(fetched)
        fetch: asyncio.Task[dict[TopicPartition, list[Any]]] = asyncio.create_task(
            self._reader.getmany(timeout_ms=LOOK_AGAIN_MS, max_records=SLICE)
        )
        news = asyncio.create_task(self._news.wait())
        try:
            await asyncio.wait({fetch, news}, return_when=asyncio.FIRST_COMPLETED)
            return fetch.result() if fetch.done() else {}
        finally:
            # A fetch that is cancelled has not taken anything yet.
            fetch.cancel()
            news.cancel()

    async def _read(self, fetched: Mapping[TopicPartition, list[Any]]) -> None:
        for place, records in fetched.items():
            await self._on_thread(self._engine.restore, place.partition, records)
        for place in self._places:
            position = self._places[place] = await self._reader.position(place)
            # Another thread may have thrown the copy away meanwhile; then its place in the changelog is another, too.
            if self._version == self._engine.version:
                self._engine.progress(place.partition, position, self._reader.highwater(place))

    def _place(self, number: int) -> TopicPartition:
        return TopicPartition(self._changelog, number)


def _numbered(offsets: Mapping[TopicPartition, int]) -> dict[int, int]:
    return {place.partition: offset for place, offset in offsets.items()}
