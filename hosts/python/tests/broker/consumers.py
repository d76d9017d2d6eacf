# SPDX-License-Identifier: Apache-2.0
"""Consumers that run as processes of their own, and what they hold and read."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Any

from broker import clients
from broker.done import Done
from broker.process import PATIENCE_S, Process, Result, wait_for


class Consumer(Process):
    """One process. `holds`, `read` and what its listener was `told` grow as it says so."""

    def __init__(self, client: str, server: str, group: str, strategies: tuple[str, ...]) -> None:
        self.holds: frozenset[int] = frozenset()
        self.read: set[tuple[int, int]] = set()
        self.done: list[Done] = []
        self.told: list[tuple[str, int, int]] = []
        super().__init__("worker.py", client, server, group, *strategies)
        self.label = f"{client} {self.process.pid}"

    def hear(self, said: dict[str, Any]) -> None:
        self.holds = frozenset(said.get("holds", self.holds))
        done = [Done(at, partition, offset, self.label, sent) for partition, offset, at, sent in said.get("read", [])]
        self.read |= {(one.partition, one.offset) for one in done}
        self.done += done
        self.told += [(what, partition, at) for what, partition, at in said.get("told", [])]


class Fleet:
    """The consumers of one group on one topic of the same name."""

    prints_logs = True

    def __init__(self, server: str, name: str, partitions: int) -> None:
        self.server = server
        self.name = name
        self.partitions = frozenset(range(partitions))
        self.there: list[Consumer] = []
        self.gone: list[Consumer] = []
        self.sent: set[tuple[int, int]] = set()

    def __enter__(self) -> Fleet:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        """What they logged is printed, for a test that fails."""
        statuses = [one.leave() for one in self.there]
        for one in self.gone + self.there:
            if self.prints_logs:
                print(one.process.args, one.said()[-4000:], sep="\n")
            one.log.close()
        assert not any(statuses)

    def join(self, client: str, *strategies: str) -> Consumer:
        one = Consumer(client, self.server, self.name, strategies or ("segue",))
        self.there.append(one)
        return one

    def leave(self, one: Consumer) -> None:
        self.there.remove(one)
        self.gone.append(one)
        assert one.leave() == 0, one.said()[-4000:]

    def send(self, count: int = 3) -> None:
        """As many records into each partition."""
        producer = clients.producer(self.server)
        pending = [
            producer.send(self.name, b"x", partition=number) for number in sorted(self.partitions) for _ in range(count)
        ]
        done = [one.get(PATIENCE_S) for one in pending]
        self.sent |= {(one.partition, one.offset) for one in done}
        producer.close()

    def settle(self, *sizes: int) -> list[frozenset[int]]:
        """Waits until every partition is held once, so many by each; what they hold, in the order of joining."""
        return self._wait(lambda: self._settled(sizes))

    def _settled(self, sizes: tuple[int, ...]) -> list[frozenset[int]] | None:
        held = [one.holds for one in self.there]
        complete = frozenset().union(*held) == self.partitions and sum(map(len, held)) == len(self.partitions)
        return held if complete and sorted(map(len, held)) == sorted(sizes) else None

    def wait_for_records(self) -> None:
        """Waits until everything that was sent has been read by somebody."""
        self._wait(lambda: self.sent <= set().union(*(one.read for one in self.there + self.gone)))

    def wait_for_protocol(self, name: str) -> None:
        """Waits until the broker has a stable group of these members that assigns by that name."""
        with clients.administrating(self.server) as admin:
            self._wait(lambda: _state(admin, self.name) == ("Stable", name, len(self.there)))

    def _wait(self, condition: Callable[[], Result | None]) -> Result:
        return wait_for(condition, lambda: f"held: {[sorted(one.holds) for one in self.there]}")


def _state(admin: Any, group: str) -> tuple[str, str, int]:
    (found,) = admin.describe_groups([group]).values()
    return found["group_state"], found["protocol_data"], len(found["members"])
