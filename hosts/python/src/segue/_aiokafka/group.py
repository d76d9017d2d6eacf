# SPDX-License-Identifier: Apache-2.0
"""The member of the group behind a stateful consumer: what happens when partitions come and go.

Everything runs on the application's event loop. A rebalance is

    revoked    nothing is given out any more. Once the application is back from its records: changelog, store, offsets;
               only then aiokafka joins again, so that a new owner finds all of it
    arrived    the assignment is there, and nothing of it was fetched yet: what goes on does so where it was, and what
               has much to be restored first is paused
    assigned   stores of partitions that have gone are stopped, and records are given out again
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from aiokafka import AIOKafkaConsumer, ConsumerRebalanceListener, TopicPartition
from aiokafka.errors import CommitFailedError

from segue._aiokafka.assignor import Assignor
from segue._aiokafka.beat import keep_beats
from segue._aiokafka.changelog import Changelog
from segue._aiokafka.fetched import Fetched
from segue._aiokafka.fetcher import look_again
from segue._aiokafka.topics import Topics
from segue._clients.beats import Beats
from segue._errors import SegueError
from segue._state.keeper import Keeper
from segue._state.log import log

# How often it is looked whether this process stood still.
BEAT_S = 0.5


class Group(ConsumerRebalanceListener):  # type: ignore[misc]  # aiokafka has no types
    """run: calls something that may block, such as the store, on a thread. assigned: is told of each assignment.
    ask: asks for a rebalance.
    """

    def __init__(
        self,
        keeper: Keeper,
        changelog: Changelog,
        topics: Topics,
        options: Mapping[str, Any],
        run: Callable[..., Awaitable[Any]],
        assigned: Callable[[], None],
        ask: Callable[[], None],
    ) -> None:
        self._keeper = keeper
        self._changelog = changelog
        self._topics = topics
        self._run = run
        self._assigned = assigned
        self._ask = ask
        self._one_at_a_time = asyncio.Lock()
        self._back = asyncio.Event()
        self._back.set()
        self._news: set[asyncio.Future[None]] = set()
        self._fault: BaseException | None = None
        self._committed: dict[TopicPartition, int] = {}
        # Started, so that their records may be given out.
        self._live: set[int] = set()
        # Between two assignments; `since` when the last one ended. Lost: it ended without a hand-over.
        self._closed = True
        self._since = 0.0
        self._lost = False
        # When this loop ran last, and who has the records that were given out.
        self._seen = asyncio.get_running_loop().time()
        self._timer: asyncio.TimerHandle | None = None
        self._holder: asyncio.Task[Any] | None = None
        self.client = AIOKafkaConsumer(
            **options,
            enable_auto_commit=False,
            partition_assignment_strategy=[Assignor(keeper.assignor, self._arrived)],
        )
        self.client.subscribe(list(keeper.topics), listener=self)
        self._fetched = Fetched(self.client)
        self.beats = Beats(self.client._group_id, self.client._heartbeat_interval_ms / 1000)
        self._beating = False

    async def start(self) -> None:
        """Joins the group."""
        self._beat()
        await self.client.start()

    async def stop(self) -> None:
        """Leaves it."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
        self._back.set()
        self._tell()
        await self.client.stop()
        await self._fetched.stop()

    # ---- the application

    async def back(self) -> None:
        """The records that were given out are done, unless others own them by now."""
        self._watch()
        if self._back.is_set():
            return
        if self._lost or self._away_too_long():
            self._lose()
            await asyncio.shield(asyncio.create_task(self._settle()))
        self._keeper.end()
        self._back.set()
        await self._changelog.send()

    async def take(self, most: int | None) -> dict[TopicPartition, list[Any]]:
        """Gives records out. Raises what went wrong while nobody listened."""
        if self._fault is not None:
            fault, self._fault = self._fault, None
            raise fault
        self._watch()
        if self._closed:
            return {}
        found = await self._fetched.take(lambda: self._keeper.engine.serving & self._live, most)
        if found:
            self._back.clear()
            self._holder = asyncio.current_task()
            self._keeper.begin(records[-1] for records in found.values())
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
            done = {TopicPartition(*place): offset for place, offset in self._keeper.offsets().items()}
            new = dict(done.items() - self._committed.items())
            if new := {place: new[place] for place in new.keys() & self.client.assignment()}:
                await self.client.commit(new)
                self._committed.update(new)

    def is_holder(self, task: asyncio.Task[Any] | None) -> bool:
        """Whether this task is the one that the application uses the consumer with, as far as can be told."""
        return self._back.is_set() or self._holder is None or self._holder.done() or self._holder is task

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
            await self._run(self._keeper.stop)

    # ---- aiokafka, in the order of a rebalance

    async def on_partitions_revoked(self, revoked: Iterable[TopicPartition]) -> None:
        self._closed = self._keeper.engine.quiet = True
        self._since = asyncio.get_running_loop().time()
        self._fetched.drop()
        await self._back.wait()
        if self._lost or self._away_too_long():
            self._lose()
            return
        try:
            await self.commit()
        except CommitFailedError:
            self._lose()
        except Exception as fault:
            # The others wait, so that it joins all the same; what was not committed comes again.
            log.warning("what is done could not be made last before a rebalance: %r", fault)
            self._fail(fault)

    def _arrived(self) -> None:
        if not self._beating:
            self._beating = True
            keep_beats(self.client._coordinator, self.beats)
        kept = frozenset[int]() if self._lost else self._keeper.engine.serving
        places = self.client.assignment()
        self._live &= kept
        self._fetched.keep(place for place in places if place.partition in kept)
        self._committed = {
            place: offset for place, offset in self._committed.items() if place in places and place.partition in kept
        }
        # The first records of what was learned are fetched while the last of its state are.
        read = kept | self._keeper.engine.ready
        for place in places:
            if place.partition not in read:
                self.client.pause(place)
            elif place in self._fetched.next:
                self.client.seek(place, self._fetched.next[place])

    async def on_partitions_assigned(self, assigned: Iterable[TopicPartition]) -> None:
        await self._settle()
        self._closed = self._lost = False
        self._tell()
        self._assigned()
        await look_again(self.client)

    # ---- the task that replays

    async def turn(self) -> None:
        """Starts what is whole, and asks for a rebalance where one is worth it."""
        if opening := self._keeper.engine.opening:
            await self._start()
            if max(opening) >= self._topics.partitions:
                await self._check()
        now = asyncio.get_running_loop().time()
        if self._keeper.engine.rejoin_due(now) or self._keeper.assignor.followup_due():
            # Lost while a join is on its way; then it is due again afterwards.
            self._ask()

    async def _start(self) -> None:
        async with self._one_at_a_time:
            try:
                started = await self._run(self._keeper.start)
            except Exception as fault:
                self._fail(fault)
                return
            self._live.update(started)
            self.client.resume(*(place for place in self.client.assignment() if place.partition in started))
        if started:
            self._tell()

    # ---- inside

    async def _check(self) -> None:
        """Somebody may have given the input more partitions: that is told until the changelog has as many."""
        await self._topics.look_again()
        try:
            self._topics.check()
        except SegueError as fault:
            self._fail(fault)

    async def _settle(self) -> None:
        async with self._one_at_a_time:
            try:
                if self._lost:
                    # What is under way is written before the changelog's end is asked for, should one come back.
                    await self._changelog.flush()
                await self._run(self._keeper.settle)
            except Exception as fault:
                self._fail(fault)

    def _beat(self) -> None:
        self._watch()
        self._timer = asyncio.get_running_loop().call_later(BEAT_S, self._beat)

    def _watch(self) -> None:
        """A loop that has not run for a whole session has sent no heartbeats either: whatever the broker answers to the
        next one, others may own everything by now.
        """
        now = asyncio.get_running_loop().time()
        slept_s, self._seen = now - self._seen, now
        if slept_s * 1000 > self.client._session_timeout_ms and self._keeper.engine.serving and not self._lost:
            log.warning("this process or its event loop stood still for %.1f s, longer than a session", slept_s)
            self._closed, self._since = True, now
            self._fetched.drop()
            self._lose()
            self.client._coordinator.reset_generation()

    def _away_too_long(self) -> bool:
        """The group has given the partitions to others: it said so, or it did not wait for the application any more."""
        coordinator = self.client._coordinator
        waited_s = asyncio.get_running_loop().time() - self._since if self._closed else 0
        return bool(
            self._keeper.engine.serving
            and (coordinator.generation < 0 or waited_s * 1000 > coordinator._rebalance_timeout_ms)
        )

    def _lose(self) -> None:
        if not self._lost:
            self._lost = True
            self._keeper.taken(None)

    def _fail(self, fault: BaseException) -> None:
        self._fault = self._fault or fault
        self._tell()

    def _tell(self) -> None:
        for waiter in self._news:
            if not waiter.done():
                waiter.set_result(None)
