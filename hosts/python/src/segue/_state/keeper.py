# SPDX-License-Identifier: Apache-2.0
"""What the stateful consumers of all clients share: everything but the calls of the client itself."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from segue._clients.copies import Answer
from segue._clients.stateful import StatefulAssignor
from segue._errors import ClosedError, InputError, NotOwnedError, StoreError
from segue._group import ConfigValue
from segue._state.engine import Engine
from segue._state.log import log
from segue._state.state import State
from segue._state.store import Store, TableStore
from segue._state.work import Send, Work

ACCEPTABLE_LAG = 10_000
READY_BATCH_MS = 500


class Input(Protocol):
    """A record of an input topic, as the client made it."""

    @property
    def topic(self) -> str: ...
    @property
    def partition(self) -> int: ...
    @property
    def offset(self) -> int: ...


class Keeper:
    """One stateful consumer without its client.

    The client's thread calls in this order, and no call but `taken` comes from elsewhere:

        end        the records given out before are done
        flush      `prepare`, the producer's own flush, `checkpoint`, the commit of `offsets`: now and then, at each
                   revocation, and at the end
        settle     takes over assignments that `taken` has heard of
        start      partitions whose state is whole now, to be read from now on
        begin      records are given out

    send: puts a record into the changelog without waiting: partition, key, value, headers.
    Raises AssignorError, ConfigError, InputError and LibraryError.
    """

    def __init__(
        self,
        topics: Sequence[str],
        *,
        changelog: str,
        store: Store,
        assignor: str | None,
        config: Mapping[str, ConfigValue] | None,
        send: Send,
    ) -> None:
        if not topics or len(set(topics)) < len(topics) or changelog in topics:
            raise InputError(
                f"a stateful consumer has one or more input topics, each once, and a changelog that is none of them: "
                f"{topics!r} and {changelog!r} are given",
                code="bad-argument",
            )
        if not isinstance(store, Store):
            raise InputError(f"store is a segue.Store, not {store!r}", code="bad-argument")
        self.topics = tuple(topics)
        self.changelog = changelog
        self.store = store
        config = dict(config or {})
        self.assignor = StatefulAssignor(assignor, config, self._claim, self.taken)
        store.open(changelog)
        self.assignor.member.instance = store.process_id
        self.engine = Engine(
            store,
            acceptable_lag=int(config.get("acceptable.recovery.lag", ACCEPTABLE_LAG)),
            batch_s=int(config.get("segue.ready.batch.ms", READY_BATCH_MS)) / 1000,
        )
        self.work = Work(send)
        self._taken: deque[Answer | None] = deque()
        self._process = os.getpid()
        self._closed = False

    # ---- the application's

    @property
    def elsewhere(self) -> bool:
        """Whether this is a child of the process that made it: threads and connections are the parent's."""
        return os.getpid() != self._process

    def check_process(self) -> None:
        """Raises ClosedError in a child that a fork made."""
        if self.elsewhere:
            raise ClosedError("this consumer belongs to another process, which forked this one", code="closed")

    def check(self) -> None:
        """Raises ClosedError there, and once it is closed."""
        self.check_process()
        if self._closed:
            raise ClosedError("this consumer is closed", code="closed")

    def state(self, partition: int) -> State:
        """A partition's state. Raises NotOwnedError unless this member owns it now, ClosedError after `stop`."""
        self._table(partition)
        return State(lambda: self._table(partition), lambda key, value: self.log(partition, key, value))

    def log(self, partition: int, key: bytes, value: bytes | None) -> None:
        """Writes to the changelog when the record at hand is done. None deletes the key."""
        self._own(partition)
        if not isinstance(key, bytes) or not (value is None or isinstance(value, bytes)):
            raise InputError(
                f"keys and values of a changelog are bytes, not {key!r} and {value!r}", code="bad-argument"
            )
        self.work.write(partition, key, value)

    def applied(self, record: Input) -> bool:
        """Whether the state has this record already: only after a crash, when its offset had not been committed."""
        self.check()
        return record.offset < self.store.applied(record.partition).get(record.topic, 0)

    def assignment(self) -> set[tuple[str, int]]:
        """The partitions of the input whose state is whole here; none once it is closed."""
        self.check_process()
        return set() if self._closed else {(topic, one) for topic in self.topics for one in self.engine.serving}

    def lags(self) -> dict[int, int | None]:
        """Records still to read, by partition."""
        self.check_process()
        return {} if self._closed else self.engine.lags()

    # ---- the client's

    def begin(self, records: Iterable[Input]) -> None:
        """A unit: the last record of each input partition in it."""
        self.work.begin((record.partition, record.topic, record.offset) for record in records)

    def end(self) -> None:
        self.work.end()

    def prepare(self) -> None:
        """Before the producer is flushed."""
        for partition in sorted(self.engine.serving):
            with self._store(partition, "prepare"):
                self.store.prepare(partition)
        self.work.end()

    def checkpoint(self, ends: Mapping[int, int]) -> None:
        """After the producer was flushed. ends: of each partition that was written to, the offset after the last
        write.
        """
        for partition in sorted(self.engine.serving):
            position = max(ends.get(partition, 0), self.engine.position(partition))
            with self._store(partition, "flush"):
                self.engine.flushed(partition, position, self.work.applied(partition))

    def offsets(self) -> dict[tuple[str, int], int]:
        """What is to be committed: of each input partition the offset after the last record that is done."""
        return {
            (topic, partition): offset
            for partition, offsets in sorted(self.work.done.items())
            for topic, offset in sorted(offsets.items())
        }

    def taken(self, answer: Answer | None) -> None:
        """A new assignment has come; None: the group gave the partitions to others, without a hand-over. Any thread."""
        self._taken.append(answer)

    def settle(self) -> None:
        """Takes over what has come meanwhile."""
        while self._taken:
            answer = self._taken.popleft()
            self.engine.quiet = self.engine.quiet and answer is None
            for partition in self.engine.serving - (answer.active if answer else frozenset()):
                self.work.forget(partition)
            if answer is None:
                log.warning("this member was away for too long: others have its partitions now")
                self.engine.lost()
                continue
            self.engine.assigned(answer)
            log.info(
                "round %d: owns %s, learns %s, stands by for %s",
                answer.round, sorted(answer.active), sorted(answer.learner), sorted(answer.standby),
            )  # fmt: skip

    def give_up(self) -> None:
        """The records given out last are not done, and come again."""
        for partition in self.work.give_up() & self.engine.serving:
            self.engine.abandon(partition)

    def start(self) -> list[int]:
        """Starts what is whole. Raises StoreError where the store cannot."""
        if failed := self.engine.fault():
            partition, fault = failed
            raise self._failed(partition, "restore", fault) from fault
        with self._store(None, "start"):
            started = self.engine.start()
        for partition in started:
            self.work.open(partition, self.store.applied(partition))
            log.info("partition %d of %s is whole and is read now", partition, self.changelog)
        return started

    def stop(self) -> None:
        """At the end, after everything was flushed and committed: nothing is written any more."""
        self._closed = True
        for partition in sorted(self.engine.serving):
            with self._store(partition, "stop"):
                self.store.stop(partition)

    def close(self) -> None:
        """The very last, however the end went."""
        self._closed = True
        self.store.close()

    def _claim(self) -> Any:
        return self.engine.claim()

    def _table(self, partition: int) -> MutableMapping[bytes, bytes]:
        if not isinstance(self.store, TableStore):
            raise InputError(
                f"{type(self.store).__name__} has a state of its own; write to its changelog with log()",
                code="bad-argument",
            )
        self._own(partition)
        return self.store.table(partition)

    def _own(self, partition: int) -> None:
        self.check()
        if not self.engine.owns(partition):
            raise NotOwnedError(
                f"partition {partition} of {self.changelog} is not owned here, and only owners write",
                code="not-owned",
            )

    @contextmanager
    def _store(self, partition: int | None, method: str) -> Iterator[None]:
        try:
            yield
        except Exception as fault:
            raise self._failed(partition, method, fault) from fault

    def _failed(self, partition: int | None, method: str, fault: BaseException) -> StoreError:
        where = "" if partition is None else f"partition {partition}: "
        text = f"{where}{type(self.store).__name__}.{method}() failed, and is called again: {fault!r}"
        return StoreError(f"{self.changelog}, {text}", code="store-failed")
