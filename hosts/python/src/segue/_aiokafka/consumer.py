# SPDX-License-Identifier: Apache-2.0
"""A consumer of aiokafka whose partitions have state."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Any

from aiokafka import TopicPartition

from segue._aiokafka.changelog import Changelog
from segue._aiokafka.door import AiokafkaDoor
from segue._aiokafka.group import Group
from segue._aiokafka.options import options_of
from segue._aiokafka.replay import Replay
from segue._aiokafka.topics import Topics
from segue._drain.aiokafka import StatefulSeat
from segue._drain.instance import Instance, Timeout, attend_to
from segue._drain.state import DrainResult
from segue._errors import ClosedError
from segue._group import ConfigValue
from segue._state.keeper import Keeper
from segue._state.state import State
from segue._state.store import Store

# How long `getone` waits before it looks after everything else again.
LOOK_AGAIN_S = 1.0


class StatefulConsumer:
    """Reads input topics whose partitions have state, and moves that state before it moves the work.

        async with StatefulConsumer("orders", changelog="billing-changelog", store=SqliteStore("/var/lib/billing"),
                                    group_id="billing", bootstrap_servers="…") as consumer:
            async for record in consumer:
                state = consumer.state(record.partition)
                state[record.key] = str(int(state.get(record.key, b"0")) + 1).encode()

    topics: of as many partitions each; partition 3 of all of them is one task. changelog: a compacted topic with as
    many partitions again, which nobody else writes. store: MemoryStore(), SqliteStore(folder) or one of your own.
    assignor: by name; without it the environment's SEGUE_ASSIGNOR, then `learner`. segue: Kafka's and segue's
    configuration by its dotted names, as {"num.standby.replicas": 1}. Everything else is aiokafka's own, but for what
    makes the guarantees: segue commits, and `auto_commit_interval_ms` says how often.

    One task uses it at a time. A record that was given out counts as done when the next one is asked for (or, with
    `getmany`, the next batch), and at `stop`; an exception that leaves the `async with` makes it come again. A
    rebalance waits for the application to be done. A call that is cancelled loses nothing. STATE.md says what all
    that guarantees.

    Raises AssignorError, ConfigError, InputError and LibraryError at once; ChangelogError and what aiokafka raises from
    `start`; these and StoreError from `getmany`, `getone` and iteration; ClosedError after `stop`.
    """

    def __init__(
        self,
        *topics: str,
        changelog: str,
        store: Store,
        assignor: str | None = None,
        segue: Mapping[str, ConfigValue] | None = None,
        **config: Any,
    ) -> None:
        self._options = options_of(config)
        self._changelog = Changelog(changelog)
        self.keeper = Keeper(
            topics, changelog=changelog, store=store, assignor=assignor, config=segue, send=self._changelog.put
        )
        self._group: Group | None = None
        self._replay: Replay | None = None
        self._closed = False
        self._stopping: asyncio.Future[None] | None = None
        self._seat: StatefulSeat | None = None

    async def start(self) -> None:
        """Connects, and joins the group: returns with the first assignment, as aiokafka does."""
        if self._closed or self._group is not None:
            raise ClosedError("a stateful consumer is started once", code="closed")
        # One for what is replayed into the store, and one for all else.
        self._threads = ThreadPoolExecutor(2, thread_name_prefix="segue")
        self._topics = Topics(self.keeper.topics, self.keeper.changelog)
        self._replay = Replay(self.keeper.engine, self._topics, self._run)
        self._group = Group(
            self.keeper,
            self._changelog,
            self._topics,
            self._options.member,
            self._run,
            assigned=self._replay.wake,
            ask=lambda: seat.rejoin_calmly(),
        )
        self._door = AiokafkaDoor(self._topics, self._group.client)
        self._seat = seat = StatefulSeat(self._group.client, self.keeper, self._group.beats, self.stop, self._door.ring)
        self._instance = attend_to(self, self._seat, self.keeper.assignor)
        try:
            await self._changelog.start(self._options.shared)
            await self._topics.start(self._options.shared)
            await self._replay.start(self._options.shared, self._group.turn)
            await self._group.start()
        except BaseException:
            await self._close_all()
            raise
        self._next_commit = self._now() + self._options.commit_interval_s

    # ---- reading

    async def getmany(self, *, timeout_ms: int = 0, max_records: int | None = None) -> dict[Any, list[Any]]:
        """Records by partition, as aiokafka gives them, of partitions whose state is whole. What was given out before
        is done. Returns nothing when there is nothing for so long.
        """
        group = await self._back()
        deadline = self._now() + timeout_ms / 1000
        while not (batches := await group.take(max_records)):
            if (left := deadline - self._now()) <= 0 or self._closed:
                break
            await group.wait(left)
        return batches

    async def getone(self) -> Any:
        """The next record, whenever it comes. The one before is done."""
        group = await self._back()
        while not (batches := await group.take(1)):
            await group.wait(LOOK_AGAIN_S)
            self._open()
        ((record,),) = batches.values()
        return record

    def __aiter__(self) -> StatefulConsumer:
        return self

    async def __anext__(self) -> Any:
        """As `getone`. Ends once the consumer is drained or stopped."""
        self.keeper.check_process()
        try:
            return await self.getone()
        except ClosedError:
            raise StopAsyncIteration from None

    # ---- the application's state

    def state(self, partition: int) -> State:
        """Keys and values, both bytes, of a partition that this member owns; for stores with tables."""
        return self.keeper.state(partition)

    def log(self, partition: int, key: bytes, value: bytes | None) -> None:
        """For stores of your own: writes to the changelog. None deletes the key."""
        self.keeper.log(partition, key, value)

    def applied(self, record: Any) -> bool:
        """Whether the state has this record already: after a crash, records come again whose offset was not committed
        in time.
        """
        return self.keeper.applied(record)

    def assignment(self) -> set[Any]:
        """The partitions of the input that are read here: owned, and their state is whole."""
        return {TopicPartition(*place) for place in self.keeper.assignment()}

    def lags(self) -> dict[int, int | None]:
        """By partition, records still to be read: of copies, and of what is owned but not read yet. None: not known."""
        return self.keeper.lags()

    @property
    def instance(self) -> Instance:
        """All about drains and swaps: cancel, progress, `segue.asgi`. Raises ClosedError before `start`, and in a
        forked child.
        """
        self.keeper.check_process()
        if self._seat is None:
            raise ClosedError("this consumer was not started", code="closed")
        return self._instance

    async def drain(self, timeout: Timeout = None, *, stay: bool = False) -> DrainResult:
        """Marks this member as leaving: others learn what it has, take it over, and when it is empty it is stopped.
        Waits for that; go on reading meanwhile, in another task. Cancelling the wait does not cancel the drain.

        timeout: seconds after which what is left is forced away. Raises DrainError where the assignor heeds no marks;
        `scale-down` and `balanced` do.
        """
        self._open()
        return await self.instance.drain(timeout, stay=stay)

    async def cancel_drain(self) -> bool:
        """Takes the mark back; whether there was one."""
        self._open()
        return await self.instance.cancel_drain()

    async def commit(self) -> None:
        """Makes everything that is done last: changelog, store, then offsets. Happens by itself from time to time."""
        await self._commit(self._open().commit())

    async def _commit(self, call: Coroutine[Any, Any, None]) -> None:
        """Whoever is cancelled meanwhile leaves no half behind."""
        self._next_commit = self._now() + self._options.commit_interval_s
        await asyncio.shield(asyncio.create_task(call))

    async def stop(self, *, done: bool = True) -> None:
        """Makes last what is done, and leaves the group. done: whether what was given out last counts as done. In a
        forked child it does nothing.
        """
        if self.keeper.elsewhere:
            return
        if not self._closed:
            self._closed = True
            # Who stops it from beside the application does not know how far that is with its records.
            done = done and (self._group is None or self._group.is_holder(asyncio.current_task()))
            self._stopping = asyncio.ensure_future(self._stop(done))
        if self._stopping is not None:
            # A drain may have begun it; whoever asks for it waits until it has ended.
            await asyncio.shield(self._stopping)

    async def __aenter__(self) -> StatefulConsumer:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop(done=kind is None)

    # ---- inside

    def _open(self) -> Group:
        self.keeper.check_process()
        if self._closed or self._group is None:
            raise ClosedError("this consumer is stopped, or was not started", code="closed")
        return self._group

    async def _back(self) -> Group:
        """The application asks for more: what it had is done."""
        group = self._open()
        await group.back()
        if self._now() >= self._next_commit:
            await self._commit(group.commit_if_member())
        return group

    async def _run(self, call: Callable[..., Any], *arguments: Any) -> Any:
        """Calls what may block on a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, call, *arguments)

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()

    async def _stop(self, done: bool) -> None:
        try:
            if self._group is not None:
                await self._group.hand_over(done)
        finally:
            await self._close_all()

    async def _close_all(self) -> None:
        """Each of them, whatever becomes of the others."""
        self._closed = True
        async with AsyncExitStack() as stack:
            stack.push_async_callback(self._after_stop)
            stack.callback(self._threads.shutdown)
            stack.callback(self.keeper.close)
            stack.push_async_callback(self._changelog.stop)
            if self._group is not None and self._replay is not None:
                stack.push_async_callback(self._topics.stop)
                stack.push_async_callback(self._door.stop)
                stack.push_async_callback(self._group.stop)
                stack.push_async_callback(self._replay.stop)

    async def _after_stop(self) -> None:
        """What tells of this member in Kafka goes as well, unless it is that which stops it."""
        if self._seat is not None and not self._seat.leaving:
            await asyncio.to_thread(self._instance.after_close)
