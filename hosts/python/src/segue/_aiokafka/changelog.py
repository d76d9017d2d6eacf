# SPDX-License-Identifier: Apache-2.0
"""Writes, on their way into the changelog topic."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping
from typing import Any

from aiokafka import AIOKafkaProducer
from aiokafka.errors import KafkaError

from segue._errors import ChangelogError
from segue._state.work import Headers


class Changelog:
    """Writes in order and without gaps: idempotent, and acknowledged by all replicas. One write that fails ends it: the
    state here has what the changelog has not, so that nothing may be committed any more.
    """

    def __init__(self, topic: str) -> None:
        self._topic = topic
        self._producer: AIOKafkaProducer | None = None
        self._outbox: deque[tuple[int, bytes, bytes | None, Headers]] = deque()
        self._sent: deque[asyncio.Future[Any]] = deque()
        self._ends: dict[int, int] = {}
        self._fault: BaseException | None = None

    async def start(self, options: Mapping[str, Any]) -> None:
        self._sending = asyncio.Lock()
        self._producer = AIOKafkaProducer(acks="all", enable_idempotence=True, **options)
        await self._producer.start()

    async def stop(self) -> None:
        if self._producer is not None:
            await self._producer.stop()

    def put(self, partition: int, key: bytes, value: bytes | None, headers: Headers) -> None:
        """Without waiting; `send` brings it on its way."""
        self._outbox.append((partition, key, value, headers))

    async def send(self) -> None:
        """Hands what was put to the producer, which may have to wait until it has room. May be cancelled; raises
        ChangelogError.
        """
        async with self._sending:
            while self._outbox:
                partition, key, value, headers = self._outbox[0]
                self._sent.append(await self._send(partition, key, value, headers))
                self._outbox.popleft()
        while self._sent and self._sent[0].done():
            self._note(self._sent.popleft())
        self._check()

    async def flush(self) -> dict[int, int]:
        """Waits until the broker has it all; by partition the offset behind the last write. Raises ChangelogError."""
        await self.send()
        while self._sent:
            await asyncio.wait([self._sent[0]])
            self._note(self._sent.popleft())
        self._check()
        return dict(self._ends)

    async def _send(self, partition: int, key: bytes, value: bytes | None, headers: Headers) -> asyncio.Future[Any]:
        assert self._producer is not None
        try:
            return await self._producer.send(self._topic, value, key, partition, headers=headers)  # type: ignore[no-any-return]  # aiokafka has no types
        except KafkaError as fault:
            self._fault = self._fault or fault
            raise self._error() from fault

    def _note(self, sent: asyncio.Future[Any]) -> None:
        if (fault := sent.exception()) is None:
            done = sent.result()
            self._ends[done.partition] = done.offset + 1
        else:
            self._fault = self._fault or fault

    def _check(self) -> None:
        """Raises what has become of an earlier write, again and again."""
        if self._fault is not None:
            raise self._error() from self._fault

    def _error(self) -> ChangelogError:
        return ChangelogError(
            f"{self._topic} did not take what was written ({self._fault!r}): stop this consumer and start anew; what "
            "was not committed comes again",
            code="changelog-failed",
        )
