# SPDX-License-Identifier: Apache-2.0
"""A producer that never pauses, and the counts that a correct application must arrive at."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterable
from types import TracebackType
from typing import Any

from broker import clients
from broker.process import PATIENCE_S


class Steady:
    """Sends to every partition of a topic, `rate` records a second to each, over so many keys, until it is stopped.

    flows: cleared, it pauses.
    """

    def __init__(self, server: str, topic: str, partitions: Iterable[int], *, rate: int, keys: int) -> None:
        self.topic = topic
        self.partitions = sorted(partitions)
        self.pause_s = 1 / rate
        self.keys = keys
        self.sent: list[tuple[int, bytes, Any]] = []
        self._producer = clients.producer(server)
        self.flows = threading.Event()
        self.flows.set()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Steady:
        self._thread.start()
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.stop()

    def _run(self) -> None:
        due = time.monotonic()
        while not self._stopping.wait(max(0.0, due - time.monotonic())):
            for partition in self.partitions if self.flows.is_set() else ():
                self.send(partition, key(len(self.sent) % self.keys))
            due += self.pause_s

    def send(self, partition: int, key: bytes) -> None:
        """One more record, from any thread."""
        self.sent.append((partition, key, self._producer.send(self.topic, b"x", key=key, partition=partition)))

    def stop(self) -> None:
        """Waits until the broker has all of it."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()
        self._producer.close(PATIENCE_S)

    def offsets(self) -> set[tuple[int, int]]:
        """Partition and offset of every record, once it is stopped."""
        return {(partition, done.get(PATIENCE_S).offset) for partition, _, done in self.sent}

    def counts(self) -> Counter[tuple[int, bytes]]:
        """How often each key was sent to each partition."""
        return Counter((partition, key) for partition, key, _ in self.sent)


def key(number: int) -> bytes:
    return b"k%d" % number
