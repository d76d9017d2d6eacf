# SPDX-License-Identifier: Apache-2.0
"""A process of the counting application, and what it has said so far."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, NamedTuple

from broker.done import Done
from broker.process import Process


class Call(NamedTuple):
    """A call of a store."""

    at: int
    what: str
    partition: int
    records: int


class CountingProcess(Process):
    """`holds`, `held`, `done`, `again`, `calls` and `dumped` grow as it says so."""

    def __init__(
        self,
        client: str,
        server: str,
        topic: str,
        label: str,
        options: dict[str, Any],
        *,
        script: str,
        flags: tuple[str, ...],
    ) -> None:
        self.client = client
        self.label = label
        self.options = options
        self.holds: frozenset[int] = frozenset()
        self.held: list[frozenset[int]] = []
        self.done: list[Done] = []
        self.again: set[tuple[int, int]] = set()
        self.calls: list[Call] = []
        self.dumped: set[str] = set()
        super().__init__(script, client, server, topic, json.dumps(options), flags=flags)

    def hear(self, said: dict[str, Any]) -> None:
        if "holds" in said:
            self.holds = frozenset(said["holds"])
            self.held.append(self.holds)
        for partition, offset, at, sent in said.get("done", ()):
            self.done.append(Done(at, partition, offset, self.label, sent))
        self.again |= {(partition, offset) for partition, offset in said.get("again", ())}
        if "store" in said:
            self.calls.append(Call(said["at"], said["store"], said["partition"], said.get("records", 0)))
        if "dumped" in said:
            self.dumped.add(said["dumped"])

    def restored(self, since: int = 0) -> Counter[int]:
        """How many records of the changelog it has read, by partition."""
        found: Counter[int] = Counter()
        for call in self.calls:
            if call.what == "restore" and call.at >= since:
                found[call.partition] += call.records
        return found
