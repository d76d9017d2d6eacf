# SPDX-License-Identifier: Apache-2.0
"""The member of the group behind a stateful consumer: what happens when partitions come and go.

Everything runs on the application's event loop. A rebalance is

    revoked    nothing is given out any more. Once the application is back from its records: changelog, store, offsets;
               only then aiokafka joins again, so that a new owner finds all of it
    arrived    the assignment is there, and nothing of it was fetched yet: what goes on does so where it was, and what
               has to be restored first is paused
    assigned   stores of partitions that have gone are stopped, and records are given out again
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from aiokafka import AIOKafkaConsumer, ConsumerRebalanceListener, TopicPartition
from aiokafka.errors import CommitFailedError

from segue._aiokafka.assignor import Assignor
from segue._aiokafka.changelog import Changelog
from segue._aiokafka.fetched import Fetched
from segue._errors import ChangelogError
from segue._state.keeper import Keeper
from segue._state.log import log


class Group(ConsumerRebalanceListener):  # type: ignore[misc]  # aiokafka has no types
    """run: calls something that may block, such as the store, on a thread. assigned: is told of each assignment."""

    def __init__(
        self,
        keeper: Keeper,
        changelog: Changelog,
        options: Mapping[str, Any],
        run: Callable[..., Awaitable[Any]],
        assigned: Callable[[], None],
    ) -> None:
        self._keeper = keeper
        self._changelog = changelog
        self._run = run
        self._assigned = assigned
        self._one_at_a_time = asyncio.Lock()
        self._back = asyncio.Event()
        self._back.set()
        self._news: set[asyncio.Future[None]] = set()
        self._fault: BaseException | None = None
        self._committed: dict[TopicPartition, int] = {}
        # Between two assignments; `since` when the last one ended.
        self._closed = True
        self._since = 0.0
        self._lost = False
        self.client = AIOKafkaConsumer(
            **options,
            enable_auto_commit=False,
            partition_assignment_strategy=[Assignor(keeper.assignor, self._arrived)],
        )
        self.client.subscribe(list(keeper.topics), listener=self)
        self._fetched = Fetched(self.client)

    async def start(self, partitions: int) -> None:
        """Joins. partitions: of the changelog, as many as each topic has to have. Raises ChangelogError."""
        await self.client.start()
        for topic in self._keeper.topics:
            there = len(self.client.partitions_for_topic(topic) or ())
            if there != partitions:
                raise ChangelogError(
                    f"{topic} has {there} partitions and {self._keeper.changelog} {partitions}: partition 3 of the "
                    "input belongs to partition 3 of the changelog, so they must have as many",
                    code="bad-changelog",
                )

    # ---- the application

    async def back(self) -> None:
        """The records that were given out are done, unless others own them by now."""
        if self._back.is_set():
            return
        if self._away_too_long():
            self._lose()
            await self._settle()
        self._keeper.end()
        self._back.set()
        await self._changelog.send()

    async def take(self, most: int | None) -> dict[TopicPartition, list[Any]]:
        """Gives records out. Raises what went wrong while nobody listened."""
        if self._fault is not None:
            fault, self._fault = self._fault, None
            raise fault
        if self._closed:
            return {}
        found = await self._fetched.take(self._keeper.engine.serving, most)
        if found:
            self._back.clear()
            for records in found.values():
                self._keeper.begin(records)
        return found

    async def wait(self, timeout_s: float) -> None:
        """Until `take` may have something."""
        news: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._news.add(news)
        try:
            await self._fetched.wait(news, timeout_s, closed=self._closed)
        finally:
            self._news.discard(news)

    async def commit_if_member(self) -> None:
        """As `commit`; where the group has given the partitions to others already, that is dealt with elsewhere."""
        try:
            await self.commit()
        except CommitFailedError as fault:
            log.warning("offsets were not committed, because the group has gone on without this member: %r", fault)

    async def commit(self) -> None:
        """Makes what is done last: changelog, store, offsets. Raises CommitFailedError where it is no member now."""
        async with self._one_at_a_time:
            await self._run(self._keeper.prepare)
            ends = await self._changelog.flush()
            await self._run(self._keeper.checkpoint, ends)
            mine = self.client.assignment()
            done = {TopicPartition(*place): offset for place, offset in self._keeper.offsets().items()}
            new = {place: offset for place, offset in done.items() if self._committed.get(place) != offset}
            if new := {place: offset for place, offset in new.items() if place in mine}:
                await self.client.commit(new)
                self._committed.update(new)

    async def hand_over(self, done: bool) -> None:
        """The end: whatever is done is made last, so that the next owner finds it."""
        if done:
            await self.back()
        else:
            await self._run(self._keeper.give_up)
        self._closed = True
        self._back.set()
        if not self._lost:
            await self.commit_if_member()

    async def stop(self) -> None:
        """Leaves the group."""
        self._closed = True
        self._back.set()
        await self.client.stop()
        await self._fetched.stop()

    # ---- aiokafka, in the order of a rebalance

    async def on_partitions_revoked(self, revoked: Iterable[TopicPartition]) -> None:
        self._closed = True
        self._since = asyncio.get_running_loop().time()
        self._fetched.drop()
        await self._back.wait()
        if not self._lost and self._away_too_long():
            self._lose()
        if self._lost:
            return
        try:
            await self.commit()
        except CommitFailedError:
            self._lose()
        except Exception as fault:
            log.warning("what is done could not be made last before the partitions were given up: %r", fault)
            self._lose()
            self._fail(fault)

    def _arrived(self) -> None:
        kept = frozenset[int]() if self._lost else self._keeper.engine.serving
        places = self.client.assignment()
        self._fetched.keep(place for place in places if place.partition in kept)
        self._committed = {place: self._committed[place] for place in places & self._committed.keys()}
        for place in places:
            if place.partition not in kept:
                self.client.pause(place)
            elif place in self._fetched.next:
                self.client.seek(place, self._fetched.next[place])

    async def on_partitions_assigned(self, assigned: Iterable[TopicPartition]) -> None:
        await self._settle()
        self._closed = self._lost = False
        self._tell()
        self._assigned()

    # ---- the task that replays

    async def turn(self) -> None:
        """Starts what is whole, and asks for a rebalance where one is worth it."""
        if self._keeper.engine.opening:
            await self._start()
        now = asyncio.get_running_loop().time()
        if self._keeper.engine.rejoin_due(now) or self._keeper.assignor.followup_due():
            # Lost while a join is on its way; then it is due again afterwards.
            self.client._coordinator.request_rejoin()

    async def _start(self) -> None:
        async with self._one_at_a_time:
            try:
                started = await self._run(self._keeper.start)
            except Exception as fault:
                self._fail(fault)
                return
            self.client.resume(*(place for place in self.client.assignment() if place.partition in started))
        if started:
            self._tell()

    # ---- inside

    async def _settle(self) -> None:
        async with self._one_at_a_time:
            try:
                if self._lost:
                    # What is under way is written before the changelog's end is asked for, should one come back.
                    await self._changelog.flush()
                await self._run(self._keeper.settle)
            except Exception as fault:
                self._fail(fault)

    def _away_too_long(self) -> bool:
        """The group has given the partitions to others: it said so, or it did not wait for the application any more."""
        coordinator = self.client._coordinator
        waited_s = asyncio.get_running_loop().time() - self._since if self._closed else 0
        return bool(
            self._keeper.engine.serving
            and (coordinator.generation < 0 or waited_s * 1000 > coordinator._rebalance_timeout_ms)
        )

    def _lose(self) -> None:
        self._lost = True
        self._keeper.taken(None)

    def _fail(self, fault: BaseException) -> None:
        self._fault = self._fault or fault
        self._tell()

    def _tell(self) -> None:
        for waiter in self._news:
            if not waiter.done():
                waiter.set_result(None)
