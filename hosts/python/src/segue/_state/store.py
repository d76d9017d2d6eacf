# SPDX-License-Identifier: Apache-2.0
"""What keeps the state of partitions. An application with a store of its own derives from `Store`."""

from __future__ import annotations

import uuid
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, MutableMapping, Sequence
from typing import Any, Protocol


class Record(Protocol):
    """A record of the changelog, as the client made it. A value of None: the key was deleted."""

    @property
    def key(self) -> Any: ...
    @property
    def value(self) -> Any: ...
    @property
    def offset(self) -> int: ...
    @property
    def headers(self) -> Any: ...


class Store(ABC):
    """Keeps the state of the partitions that a member owns or learns, each for itself.

    A partition is used by one thread at a time; `restore` runs on a thread of segue's beside the application's, which
    may be using other partitions. The life of a partition is

        restore, restore, …    as a copy: standby or learner; or before it starts
        start                  this member owns it now: everything in the changelog has been restored
        flush, flush, …        all that was written is in the changelog, and offsets are about to be committed
        stop                   it does not own it any more; the copy stays, and more may be restored
        drop                   the copy is not wanted any more, or of no use

    Where one of them raises, STATE.md says what happens.
    """

    @property
    def process_id(self) -> str:
        """A UUID that lives as long as the state: members with the same one share a disk.

        Here it is one for each store object, which suits what keeps nothing on a disk.
        """
        found: str | None = getattr(self, "_process_id", None)
        if found is None:
            found = self._process_id = str(uuid.uuid4())
        return found

    def open(self, changelog: str) -> None:  # noqa: B027  # to be overridden where there is something to do
        """Called once, before everything else, with the name of the changelog topic."""

    def partitions(self) -> Collection[int]:
        """The partitions of which there is a copy here, from an earlier run for example."""
        return ()

    def position(self, partition: int) -> int:
        """Next offset of the changelog that `restore` needs; 0 where there is no copy."""
        return 0

    def state_bytes(self, partition: int) -> int | None:
        """Bytes of a partition that is owned here, about as many as who learns it replays. None: not known.

        Asked for in each rebalance, on the client's thread: it has to be quick.
        """
        return None

    def applied(self, partition: int) -> Mapping[str, int]:
        """By input topic the offset below which all records are in this copy, as `flush` was told."""
        return {}

    @abstractmethod
    def restore(self, partition: int, records: Sequence[Record]) -> None:
        """Takes over records of the changelog, in order: the newest value of a key counts."""

    @abstractmethod
    def start(self, partition: int) -> None:
        """This member owns the partition from now on; its first record comes after this."""

    @abstractmethod
    def stop(self, partition: int) -> None:
        """Another member owns the partition now. Nothing can be logged any more: `flush` was the last chance."""

    def flush(self, partition: int, position: int, applied: Mapping[str, int]) -> None:  # noqa: B027  # to be overridden where there is something to do
        """Everything that was logged is in the changelog, which now ends at `position`; offsets are committed next.

        A store that outlives the process keeps both values together with the data, in one transaction.
        """

    def prepare(self, partition: int) -> None:  # noqa: B027  # to be overridden where there is something to do
        """Called before what was logged is flushed: the last moment to log what the store has held back."""

    def drop(self, partition: int) -> None:  # noqa: B027  # to be overridden where there is something to do
        """Forgets the copy. Called for what is neither owned nor a copy any more, unless the store is persistent."""

    def abandon(self, partition: int) -> None:
        """Ownership was lost without a hand-over: forgets what was written since the last `flush`, or all of it."""
        self.drop(partition)

    @property
    def persistent(self) -> bool:
        """True: copies are kept when they are not wanted any more, since a later owner may start from them."""
        return False

    def close(self) -> None:  # noqa: B027  # to be overridden where there is something to do
        """Called once, at the end."""


class TableStore(Store):
    """A store of keys and values, both bytes: what `consumer.state(partition)` reads and writes."""

    @abstractmethod
    def table(self, partition: int) -> MutableMapping[bytes, bytes]:
        """The keys and values of a partition. Writing here does not reach the changelog: `consumer.state` does both."""

    def start(self, partition: int) -> None:
        pass

    def stop(self, partition: int) -> None:
        pass
