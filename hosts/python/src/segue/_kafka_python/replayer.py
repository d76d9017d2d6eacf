# SPDX-License-Identifier: Apache-2.0
"""The thread that reads changelogs into the store: of what this member learns, stands by for, or opens."""

from __future__ import annotations

import threading
from typing import Any

from kafka import KafkaConsumer, TopicPartition
from kafka.errors import OffsetOutOfRangeError

from segue._kafka_python.net_client import tidy
from segue._kafka_python.topics import Topics
from segue._state.engine import Engine
from segue._state.log import log

# A batch is one transaction of the store, so it has many records. But Python collects garbage after 700 objects, and a
# record is two: what is still in use then counts as long-lived, and again and again all threads would wait while the
# whole heap is gone through.
# The broker keeps an empty fetch for the wait, and meanwhile nothing else is read over that connection, such as a
# partition that has just been added.
CONFIG: dict[str, Any] = {
    "group_id": None,
    "auto_offset_reset": "none",
    "enable_auto_commit": False,
    "max_poll_records": 250,
    "max_partition_fetch_bytes": 4 * 1024 * 1024,
    "fetch_max_wait_ms": 100,
    "check_crcs": False,
}
POLL_MS = 200
PAUSE_S = 1.0


class Replayer(threading.Thread):
    """Does what the engine wants until `stop`. What fails is logged and tried again."""

    def __init__(self, engine: Engine, topics: Topics, config: dict[str, Any]) -> None:
        super().__init__(name=f"segue-replay-{topics.changelog}", daemon=True)
        self._engine = engine
        self._topics = topics
        self._reader = KafkaConsumer(**tidy(config | CONFIG))
        self._stopping = threading.Event()
        self._version = -1

    def run(self) -> None:
        self._topics.warn_unless_compacted()
        while not self._stopping.is_set():
            try:
                self._turn()
            except OffsetOutOfRangeError as fault:
                for place in fault.args[0]:
                    self._engine.renew(place.partition)
            except Exception:
                log.exception("%s cannot be read; it is tried again", self._topics.changelog)
                self._stopping.wait(PAUSE_S)
        self._reader.close()

    def stop(self) -> None:
        """Waits until the thread has ended."""
        self._stopping.set()
        self._engine.news.set()
        if self.is_alive():
            self.join()

    def _turn(self) -> None:
        self._topics.ask(self._engine, timeout_ms=10_000)
        if self._version != self._engine.version:
            self._take()
        if self._reader.assignment() and not self._engine.stands_back:
            self._read()
        else:
            self._engine.news.wait(POLL_MS / 1000)
            self._engine.news.clear()

    def _take(self) -> None:
        """What is to be read has changed, or from where. Where the reader stands there already, what it has fetched
        counts.
        """
        self._version = self._engine.version
        wanted = self._engine.wanted()
        before = {place.partition: self._reader.position(place) for place in self._reader.assignment()}
        self._reader.assign([self._place(partition) for partition in wanted])
        for partition, offset in wanted.items():
            if before.get(partition) != offset:
                self._reader.seek(self._place(partition), offset)

    def _read(self) -> None:
        for place, records in self._reader.poll(POLL_MS).items():
            self._engine.restore(place.partition, records)
        for place in self._reader.assignment():
            self._engine.progress(place.partition, self._reader.position(place), self._reader.highwater(place))

    def _place(self, partition: int) -> Any:
        return TopicPartition(self._topics.changelog, partition)
