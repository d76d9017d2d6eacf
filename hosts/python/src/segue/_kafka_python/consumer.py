# SPDX-License-Identifier: Apache-2.0
"""A consumer of kafka-python whose partitions have state."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from types import TracebackType
from typing import Any

from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from kafka.errors import KafkaError
from kafka.structs import OffsetAndMetadata

from segue._clients.beats import Beats
from segue._drain.instance import Instance, Timeout, attend_to
from segue._drain.kafka_python import StatefulSeat
from segue._drain.pending import Pending
from segue._drain.state import DrainResult
from segue._errors import ClosedError
from segue._group import ConfigValue
from segue._kafka_python.assignor import Assignor
from segue._kafka_python.beat import keep_beats
from segue._kafka_python.changelog import Changelog
from segue._kafka_python.door import KafkaPythonDoor
from segue._kafka_python.join import keep_join, tell_to_join
from segue._kafka_python.listener import Listener
from segue._kafka_python.net_client import tidy
from segue._kafka_python.replayer import Replayer
from segue._kafka_python.topics import Topics
from segue._state.keeper import Keeper
from segue._state.log import log
from segue._state.options import Options
from segue._state.state import State
from segue._state.store import Store

# How long one call of the client's poll lasts at the most: while partitions are opening, and otherwise.
OPENING_MS = 10
SLICE_MS = 100


class StatefulConsumer:
    """Reads input topics whose partitions have state, and moves that state before it moves the work.

        with StatefulConsumer("orders", changelog="billing-changelog", store=SqliteStore("/var/lib/billing"),
                              group_id="billing", bootstrap_servers="…") as consumer:
            for record in consumer:
                state = consumer.state(record.partition)
                state[record.key] = str(int(state.get(record.key, b"0")) + 1).encode()

    topics: of as many partitions each; partition 3 of all of them is one task. changelog: a compacted topic with as
    many partitions again, which nobody else writes. store: MemoryStore(), SqliteStore(folder) or one of your own.
    assignor: by name; without it the environment's SEGUE_ASSIGNOR, then `learner`. segue: Kafka's and segue's
    configuration by its dotted names, as {"num.standby.replicas": 1}. Everything else is kafka-python's own, but for
    what makes the guarantees: segue commits, and `auto_commit_interval_ms` says how often.

    One thread uses it at a time. A record that was given out counts as done when the next one is asked for (or, with
    `poll`, the next batch), and at `close`; an exception that leaves the `with` makes it come again. STATE.md says what
    that guarantees.

    Raises AssignorError, ConfigError, InputError, ChangelogError and LibraryError at once; ChangelogError, StoreError
    and what kafka-python raises from `poll` and iteration; ClosedError after `close`.
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
        options = Options(
            "kafka-python", config, consumer=KafkaConsumer.DEFAULT_CONFIG, producer=KafkaProducer.DEFAULT_CONFIG
        )
        self._opened = ExitStack()
        self._opened.callback(self._after_close)
        self._batch: deque[Any] = deque()
        self._closed = False
        self._committed: dict[tuple[str, int], int] = {}
        self._timeout_ms: float = options.whole["consumer_timeout_ms"]
        self._commit_s = options.commit_interval_s
        self._next_commit = time.monotonic() + self._commit_s
        self.keeper = Keeper(topics, changelog=changelog, store=store, assignor=assignor, config=segue, send=self._send)
        try:
            self._open(options)
        except BaseException:
            self._opened.close()
            raise

    def _open(self, options: Options) -> None:
        keeper, opened = self.keeper, self._opened
        opened.callback(keeper.close)
        self._topics = Topics(keeper.changelog, options.shared)
        opened.callback(self._topics.close)
        self._count = self._topics.check(keeper.topics)
        self._topics.ask(keeper.engine, options.whole["request_timeout_ms"])
        self._changelog = Changelog(keeper.changelog, options.shared)
        opened.callback(self._changelog.close)
        self.client = KafkaConsumer(
            partition_assignment_strategy=[Assignor(keeper.assignor)], enable_auto_commit=False, **tidy(options.member)
        )
        opened.callback(self.client.close, autocommit=False)
        keep_join(self.client._coordinator)
        tell_to_join(self.client._coordinator, self._called)
        beats = Beats(self.client.config["group_id"], self.client.config["heartbeat_interval_ms"] / 1000)
        keep_beats(self.client._coordinator, beats)
        self._listener = Listener(self.client, keeper, self._hand_over)
        self.client.subscribe(list(keeper.topics), listener=self._listener)
        door = KafkaPythonDoor(self._topics.client, self.client.config)
        opened.callback(door.stop)
        self._seat = StatefulSeat(self.client, keeper, beats, door.ring)
        self._instance = attend_to(self, self._seat, keeper.assignor)
        self._replayer = Replayer(keeper.engine, self._topics, options.shared)
        opened.callback(self._replayer.stop)
        self._replayer.start()

    # ---- reading

    def poll(self, timeout_ms: int = 0, max_records: int | None = None) -> dict[Any, list[Any]]:
        """Records by partition, as kafka-python gives them, of partitions whose state is whole. What was given out
        before is done.
        """
        self._check_open()
        self._end()
        batches = self._given_back() or self._poll(timeout_ms, max_records)
        self.keeper.begin(records[-1] for records in batches.values())
        return batches

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        """The next record; the one before is done. Ends after `consumer_timeout_ms` without one, as kafka-python
        does, and once the consumer is drained or closed.
        """
        self.keeper.check_process()
        if self._closed:
            raise StopIteration
        self._end()
        if self._batch and self._rejoining():
            self._put_back()
        deadline = time.monotonic() + self._timeout_ms / 1000
        while not self._batch:
            if self._closed or (left := deadline - time.monotonic()) <= 0:
                raise StopIteration
            for records in self._poll(int(min(left, 1) * 1000), None).values():
                self._batch.extend(records)
        record = self._batch.popleft()
        self.keeper.begin((record,))
        return record

    # ---- the application's state

    def state(self, partition: int) -> State:
        """Keys and values, both bytes, of a partition that this member owns; for stores with tables."""
        return self.keeper.state(partition)

    def log(self, partition: int, key: bytes, value: bytes | None) -> None:
        """For stores of your own: writes to the changelog. None deletes the key."""
        self.keeper.log(partition, key, value)

    def applied(self, record: Any) -> bool:
        """Whether the state has this record already: after a crash, records come again whose offset was not
        committed.
        """
        return self.keeper.applied(record)

    def assignment(self) -> set[Any]:
        """The partitions of the input that are read here: owned, and their state is whole."""
        return {TopicPartition(*place) for place in self.keeper.assignment()}

    def lags(self) -> dict[int, int | None]:
        """By partition, records still to be read: of copies, and of what is owned but not read yet. None: not known
        yet.
        """
        return self.keeper.lags()

    @property
    def instance(self) -> Instance:
        """All about drains and swaps: cancel, progress, `segue.asgi`. Raises ClosedError in a forked child."""
        self.keeper.check_process()
        return self._instance

    def drain(self, timeout: Timeout = None, *, stay: bool = False) -> Pending[DrainResult]:
        """Marks this member as leaving: others learn what it has, take it over, and when it is empty it closes.

        timeout: seconds after which what is left is forced away. Go on reading meanwhile, on another thread than the
        one that waits for the result. `instance` has all else about drains and swaps: cancel, progress, `segue.asgi`.
        Raises DrainError where the assignor heeds no marks; `scale-down` and `balanced` do.
        """
        self._check_open()
        return self.instance.drain(timeout, stay=stay)

    def cancel_drain(self) -> Pending[bool]:
        """Takes the mark back; whether there was one."""
        self._check_open()
        return self.instance.cancel_drain()

    def commit(self) -> None:
        """Makes everything last: changelog, store, then offsets. What was given out last counts as done. Happens by
        itself from time to time, for what is done.
        """
        self._check_open()
        self._end()
        self._next_commit = time.monotonic() + self._commit_s
        self._flush()
        self._commit()

    def close(self, *, done: bool = True) -> None:
        """Makes last what is done, and leaves the group. done: whether what was given out last counts as done. In a
        forked child it does nothing.
        """
        if self._closed or self.keeper.elsewhere:
            return
        self._closed = True
        with self._opened:
            if done:
                self._end()
            else:
                self.keeper.give_up()
            self._hand_over()
            self._listener.closed = True
            self.keeper.stop()

    def _after_close(self) -> None:
        if hasattr(self, "_instance"):
            self._seat.left()
            self._instance.after_close()

    def __enter__(self) -> StatefulConsumer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close(done=kind is None)

    # ---- inside

    def _end(self) -> None:
        """What was given out is done, unless others may own it by now: then nothing of it is written."""
        coordinator = self.client._coordinator
        if not self.keeper.work.under_way or not (
            coordinator._generation.is_lost() or coordinator.heartbeat.session_timeout_expired()
        ):
            self.keeper.end()
            return
        log.warning("no heartbeat has been answered for a whole session: what is under way here is given up")
        self.keeper.give_up()
        self._batch.clear()
        coordinator.reset_generation()

    def _poll(self, timeout_ms: float, max_records: int | None) -> dict[Any, list[Any]]:
        """The client's poll in slices, so that a partition is read as soon as its state is whole."""
        self._check_open()
        deadline = time.monotonic() + timeout_ms / 1000
        while True:
            if self._seat.is_to_leave:
                self.close()
                return {}
            self._changelog.check()
            self._commit_if_due()
            left_ms = max(0, int((deadline - time.monotonic()) * 1000))
            batches = self._fetch(min(left_ms, OPENING_MS if self.keeper.engine.opening else SLICE_MS), max_records)
            try:
                self._advance()
            except BaseException:
                self._batch.extend(record for records in batches.values() for record in records)
                raise
            if batches or left_ms == 0:
                return batches

    def _fetch(self, timeout_ms: int, max_records: int | None) -> dict[Any, list[Any]]:
        """One call of the client's. It joins only, where that would sleep on afterwards while there is nothing to read,
        and where nothing is read it sleeps here, for no longer than that is so.
        """
        coordinator = self.client._coordinator
        if coordinator.need_rejoin():
            coordinator.poll(timeout_ms)
            return {}
        if self._listener.live:
            return self.client.poll(timeout_ms, max_records)  # type: ignore[no-any-return]  # kafka-python has no types
        batches: dict[Any, list[Any]] = self.client.poll(0, max_records)
        if not (batches or coordinator.need_rejoin()):
            self.keeper.engine.whole.wait(timeout_ms / 1000)
            self.keeper.engine.whole.clear()
        return batches

    def _called(self) -> None:
        """The group waits for this member from now on. Wakes the thread that may sleep in `_fetch`."""
        self.keeper.engine.quiet = True
        self.keeper.engine.whole.set()

    def _advance(self) -> None:
        """What a poll may have brought: an assignment, a partition that is whole, a learner that is ready."""
        keeper, coordinator = self.keeper, self.client._coordinator
        # kafka-python 3.0.12 forgets a join that metadata started when poll() times out on it.
        if coordinator.rejoining and not coordinator.rejoin_needed:
            coordinator.request_rejoin()
        self._listener.raise_fault()
        if self._listener.lost:
            # What is under way to the changelog is written before its end is asked for, should a partition come back.
            self._changelog.flush()
            self._listener.lost = False
        keeper.settle()
        if opening := keeper.engine.opening:
            self._check_count(max(opening))
            self._start()
        if keeper.engine.rejoin_due(time.monotonic()) or keeper.assignor.followup_due():
            self._seat.rejoin_calmly()

    def _check_count(self, partition: int) -> None:
        """Somebody may have given the input more partitions. Raises ChangelogError until the changelog has as many."""
        if partition >= self._count:
            self._count = self._topics.check(self.keeper.topics)

    def _start(self) -> None:
        """The end of the changelog is asked for here rather than by the replaying thread, which may wait for a
        fetch.
        """
        try:
            self._topics.ask(self.keeper.engine, timeout_ms=300)
        except KafkaError as fault:
            log.info("the end of %s is not known yet: %r", self.keeper.changelog, fault)
        started = set(self.keeper.start())
        self._listener.live |= started
        self.client.resume(*(place for place in self.client.assignment() if place.partition in started))

    def _commit_if_due(self) -> None:
        if time.monotonic() >= self._next_commit:
            try:
                self.commit()
            except KafkaError as fault:
                log.warning("offsets could not be committed, it is tried again: %r", fault)

    def _hand_over(self) -> None:
        """Everything that is done, for whoever owns it next."""
        self._flush()
        try:
            self._commit()
        except KafkaError as fault:
            log.warning("offsets could not be committed before the rebalance: records come again: %r", fault)

    def _commit(self) -> None:
        """Nothing where nothing was done: the broker refuses commits while members join."""
        offsets = self.keeper.offsets()
        if offsets != self._committed:
            self.client.commit({TopicPartition(*place): OffsetAndMetadata(at, "", -1) for place, at in offsets.items()})
            self._committed = offsets

    def _flush(self) -> None:
        self.keeper.prepare()
        self.keeper.checkpoint(self._changelog.flush())

    def _send(self, partition: int, key: bytes, value: bytes | None, headers: list[tuple[str, bytes]]) -> None:
        self._changelog.send(partition, key, value, headers)

    def _rejoining(self) -> bool:
        return bool(self.client._coordinator.rejoin_needed)

    def _put_back(self) -> None:
        """The group waits for this member: records that were read and not given out are read again."""
        for record in reversed(self._batch):
            self.client.seek(TopicPartition(record.topic, record.partition), record.offset)
        self._batch.clear()

    def _given_back(self) -> dict[Any, list[Any]]:
        """What iteration has read and not given out."""
        batches: dict[Any, list[Any]] = {}
        while self._batch:
            record = self._batch.popleft()
            batches.setdefault(TopicPartition(record.topic, record.partition), []).append(record)
        return batches

    def _check_open(self) -> None:
        self.keeper.check()
        if self._closed:
            raise ClosedError("this consumer is closed", code="closed")
