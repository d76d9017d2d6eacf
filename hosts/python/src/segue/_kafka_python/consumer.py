# SPDX-License-Identifier: Apache-2.0
"""A consumer of kafka-python whose partitions have state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Any

from segue._group import ConfigValue
from segue._state.keeper import Keeper
from segue._state.state import State
from segue._state.store import Store


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
    what makes the guarantees: segue commits, so `enable_auto_commit` is not taken, and `auto_commit_interval_ms` says
    how often.

    One thread uses it at a time. A record that was given out counts as done when the next one is asked for (or,
    with `poll`, the next batch), and at `close`; an exception that leaves the `with` makes it come again. STATE.md
    says what that guarantees. Raises AssignorError, ConfigError, InputError and LibraryError at once;
    ChangelogError and StoreError from `poll` and iteration.
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
        raise NotImplementedError

    keeper: Keeper

    def poll(self, timeout_ms: int = 0, max_records: int | None = None) -> dict[Any, list[Any]]:
        """Records by partition, as kafka-python's, of partitions whose state is whole. What it returned before is
        done.
        """
        raise NotImplementedError

    def __iter__(self) -> Iterator[Any]:
        """Records one by one; each is done when the next is asked for. Ends after `consumer_timeout_ms`, as kafka-
        python's.
        """
        raise NotImplementedError

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

    def commit(self) -> None:
        """Makes everything that is done last: changelog, store, then offsets. Happens by itself from time to time."""
        raise NotImplementedError

    def close(self, *, done: bool = True) -> None:
        """Hands everything over and leaves the group. done: whether what was given out last counts as done."""
        raise NotImplementedError

    def __enter__(self) -> StatefulConsumer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close(done=kind is None)
