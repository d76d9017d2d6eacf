# SPDX-License-Identifier: Apache-2.0
"""Consumers that run as processes of their own, and what they hold and read."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from kafka import KafkaAdminClient, KafkaProducer

PATIENCE_S = 60
WORKER = Path(__file__).resolve().parent / "worker.py"

Result = TypeVar("Result")


class Consumer:
    """One process. `holds` and `read` grow as it says so."""

    def __init__(self, client: str, server: str, group: str, strategies: tuple[str, ...]) -> None:
        self.log = tempfile.TemporaryFile("w+")  # noqa: SIM115  # the process writes it; the fleet closes it
        self.process = subprocess.Popen(
            [sys.executable, "-B", str(WORKER), client, server, group, *strategies],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True,
        )  # fmt: skip
        self.holds: frozenset[int] = frozenset()
        self.read: set[tuple[int, int]] = set()
        self._reader = threading.Thread(target=self._listen, daemon=True)
        self._reader.start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            said: dict[str, Any] = json.loads(line)
            self.holds = frozenset(said.get("holds", self.holds))
            self.read |= {(partition, offset) for partition, offset in said.get("read", [])}

    def leave(self) -> int:
        """Closes the consumer as an application does, and returns the exit status. One that hangs is killed."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        try:
            status = self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        self._reader.join()
        self.process.stdout.close()
        return status

    def said(self) -> str:
        self.log.seek(0)
        return self.log.read()


class Fleet:
    """The consumers of one group on one topic of the same name."""

    def __init__(self, server: str, name: str, partitions: int) -> None:
        self.server = server
        self.name = name
        self.partitions = frozenset(range(partitions))
        self.there: list[Consumer] = []
        self.gone: list[Consumer] = []
        self.sent: set[tuple[int, int]] = set()

    def __enter__(self) -> Fleet:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: BaseException | TracebackType | None) -> None:
        statuses = [one.leave() for one in self.there]
        for one in self.gone + self.there:
            if kind is not None:
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
        producer = KafkaProducer(bootstrap_servers=self.server, enable_idempotence=False)
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
        admin = KafkaAdminClient(bootstrap_servers=self.server)
        try:
            self._wait(lambda: _state(admin, self.name) == ("Stable", name, len(self.there)))
        finally:
            admin.close()

    def _wait(self, condition: Callable[[], Result | None]) -> Result:
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            if found := condition():
                return found
            time.sleep(0.05)
        raise AssertionError(f"not met in time; held: {[sorted(one.holds) for one in self.there]}")


def _state(admin: KafkaAdminClient, group: str) -> tuple[str, str, int]:
    (found,) = admin.describe_groups([group]).values()
    return found["group_state"], found["protocol_data"], len(found["members"])
