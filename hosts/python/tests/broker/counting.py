# SPDX-License-Identifier: Apache-2.0
"""A counting application in a process of its own, until standard input ends: counting.py CLIENT SERVER NAME OPTIONS

CLIENT is kafka-python or aiokafka; topic and group are called NAME, the changelog NAME-changelog. OPTIONS is JSON:

store       a folder for SQLite; without it memory
segue       settings, and
assignor    the strategy's name, as the consumer takes them
consumer    more options of the client
fragile     true: raises at a record whose key is `poison`
slow        true: a record whose key is `nap 500` keeps it busy for so many milliseconds
slow_ms     pause in each call of `restore`, once it has been told

Prints a line of JSON for each thing that happens, `at` in nanoseconds: `{"holds": [0], "at": 1}` when what it owns
changes, `{"done": [[0, 17, 2, 1]], "again": [[0, 16]]}` for records it has counted (partition, offset, time, when sent)
and for those that the state had already, `{"store": "start", "partition": 0, "at": 1}` for calls of the store.

A line on standard input, `{"dump": "file"}`, is answered by `{"dumped": "file"}` when all that it owns has been written
there. After `{"drain": true}` it is drained, and ends.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from segue import MemoryStore, SqliteStore

COMMON: dict[str, Any] = {
    "auto_offset_reset": "earliest",
    "session_timeout_ms": 60_000,
    "heartbeat_interval_ms": 300,
    "fetch_max_wait_ms": 20,
}
POISON = b"poison"


_telling = threading.Lock()


def tell(**what: Any) -> None:
    with _telling:
        print(json.dumps(what), flush=True)


class Told:
    """Tells which calls of the store are made."""

    slow_ms = 0

    def start(self, partition: int) -> None:
        super().start(partition)  # type: ignore[misc]  # of the store beside this one
        tell(store="start", partition=partition, at=time.time_ns())

    def stop(self, partition: int) -> None:
        tell(store="stop", partition=partition, at=time.time_ns())
        super().stop(partition)  # type: ignore[misc]

    def restore(self, partition: int, records: Sequence[Any]) -> None:
        super().restore(partition, records)  # type: ignore[misc]
        tell(store="restore", partition=partition, at=time.time_ns(), records=len(records))
        time.sleep(self.slow_ms / 1000)


class ToldMemory(Told, MemoryStore):
    pass


class ToldSqlite(Told, SqliteStore):
    pass


def count(consumer: Any, batches: Mapping[Any, list[Any]], *, fragile: bool = False) -> None:
    """What the application does with records, whatever the client."""
    done, again = [], []
    for record in chain.from_iterable(batches.values()):
        if consumer.applied(record):
            again.append((record.partition, record.offset))
            continue
        if fragile and record.key == POISON:
            raise RuntimeError("a record that the application cannot stomach")
        state = consumer.state(record.partition)
        state[record.key] = b"%d" % (int(state.get(record.key, b"0")) + 1)
        done.append((record.partition, record.offset, time.time_ns(), record.timestamp * 1_000_000))
    if done or again:
        tell(done=done, again=again)


class Application:
    """What the tests ask of it, whatever the client."""

    def __init__(self, *, fragile: bool, slow: bool) -> None:
        self.fragile = fragile
        self.slow = slow
        self.stopping = threading.Event()
        self._commands: deque[dict[str, Any]] = deque()
        self._holds: list[int] | None = None
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        for line in sys.stdin:
            self._commands.append(json.loads(line))
        self.stopping.set()

    def is_over(self, consumer: Any) -> bool:
        """Told to end, or drained."""
        return self.stopping.is_set() or consumer.instance.closed

    def turn(self, consumer: Any, batches: Mapping[Any, list[Any]]) -> None:
        """Once around the application's loop."""
        count(consumer, batches, fragile=self.fragile)
        self._tell_holds(consumer)
        while self._commands:
            command = self._commands.popleft()
            if "dump" in command:
                self._dump(consumer, command["dump"])
            else:
                self._drain(consumer)

    def nap_s(self, batches: Mapping[Any, list[Any]]) -> float:
        """How long it is busy with these records before it counts them."""
        keys = (record.key for record in chain.from_iterable(batches.values()) if self.slow)
        return sum(int(key.split()[1]) for key in keys if key.startswith(b"nap ")) / 1000

    def _tell_holds(self, consumer: Any) -> None:
        holds = sorted({place.partition for place in consumer.assignment()})
        if holds != self._holds:
            self._holds = holds
            tell(holds=holds, at=time.time_ns())

    def _drain(self, consumer: Any) -> None:
        """By the call; it goes on reading meanwhile."""
        drained = consumer.drain()
        self._drained = asyncio.ensure_future(drained) if asyncio.iscoroutine(drained) else drained

    def _dump(self, consumer: Any, file: str) -> None:
        owned = sorted({place.partition for place in consumer.assignment()})
        states = {number: {k.decode(): v.decode() for k, v in consumer.state(number).items()} for number in owned}
        Path(file).write_text(json.dumps(states), encoding="utf-8")
        tell(dumped=file)


def options_of(server: str, name: str, options: dict[str, Any]) -> dict[str, Any]:
    folder = options.get("store")
    store = ToldSqlite(folder) if folder else ToldMemory()
    store.slow_ms = options.get("slow_ms", 0)
    return {
        "bootstrap_servers": server,
        "group_id": name,
        "changelog": f"{name}-changelog",
        "store": store,
        "segue": options.get("segue", {}),
        "assignor": options.get("assignor", "learner"),
        **COMMON,
        **options.get("consumer", {}),
    }


def run_kafka_python(application: Application, name: str, options: dict[str, Any]) -> None:
    from segue.kafka_python import StatefulConsumer  # one process, one client

    with StatefulConsumer(name, **options) as consumer:
        while not application.is_over(consumer):
            batches = consumer.poll(timeout_ms=50)
            time.sleep(application.nap_s(batches))
            application.turn(consumer, batches)


def run_aiokafka(application: Application, name: str, options: dict[str, Any]) -> None:
    from segue.aiokafka import StatefulConsumer

    async def run() -> None:
        async with StatefulConsumer(name, **options) as consumer:
            while not application.is_over(consumer):
                batches = await consumer.getmany(timeout_ms=50)
                await asyncio.sleep(application.nap_s(batches))
                application.turn(consumer, batches)

    asyncio.run(run())


def main(client: str, server: str, name: str, given: str) -> None:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(levelname)s %(message)s")
    options = json.loads(given)
    application = Application(fragile=options.get("fragile", False), slow=options.get("slow", False))
    run = run_aiokafka if client == "aiokafka" else run_kafka_python
    run(application, name, options_of(server, name, options))


if __name__ == "__main__":
    main(*sys.argv[1:])
