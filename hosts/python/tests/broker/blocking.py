# SPDX-License-Identifier: Apache-2.0
"""aiokafka's StatefulConsumer with the calls of kafka-python's, so that one suite holds of both."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, TypeVar

from broker.process import PATIENCE_S
from segue.aiokafka import StatefulConsumer
from segue.kafka_python import StatefulConsumer as KafkaPythonConsumer

Result = TypeVar("Result")


class BlockingConsumer:
    """Has an event loop on a thread of its own, with asyncio's checks of development."""

    def __init__(self, *topics: str, **options: Any) -> None:
        self.consumer = StatefulConsumer(*topics, **options)
        self._loop = asyncio.new_event_loop()
        self._loop.set_debug(True)
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        try:
            self._call(self.consumer.start())
        except BaseException:
            self._end()
            raise

    def poll(self, timeout_ms: int = 0, max_records: int | None = None) -> dict[Any, list[Any]]:
        return self._call(self.consumer.getmany(timeout_ms=timeout_ms, max_records=max_records))

    def __iter__(self) -> BlockingConsumer:
        return self

    def __next__(self) -> Any:
        try:
            return self._call(self.consumer.__anext__())
        except StopAsyncIteration:
            raise StopIteration from None

    def commit(self) -> None:
        self._call(self.consumer.commit())

    def close(self, *, done: bool = True) -> None:
        try:
            self._call(self.consumer.stop(done=done))
        finally:
            self._end()

    def __enter__(self) -> BlockingConsumer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close(done=kind is None)

    def __getattr__(self, name: str) -> Any:
        """What does not block is the same."""
        return getattr(self.consumer, name)

    def _call(self, work: Coroutine[Any, Any, Result]) -> Result:
        if not self._thread.is_alive():
            return asyncio.run(work)
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE_S)

    def _end(self) -> None:
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()


AnyConsumer = BlockingConsumer | KafkaPythonConsumer
