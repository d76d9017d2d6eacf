# SPDX-License-Identifier: Apache-2.0
"""The producer that writes the changelog."""

from __future__ import annotations

from typing import Any

from kafka import KafkaProducer
from kafka.errors import KafkaError

from segue._errors import ChangelogError
from segue._kafka_python.net_client import tidy


class Changelog:
    """Writes in order and without gaps: idempotent, and acknowledged by all replicas. One write that fails ends it: the
    state here has what the changelog has not, so that nothing may be committed any more.
    """

    def __init__(self, topic: str, config: dict[str, Any]) -> None:
        self.topic = topic
        self._producer = KafkaProducer(acks="all", enable_idempotence=True, **tidy(config))
        self._timeout_s = self._producer.config["request_timeout_ms"] / 1000
        self._last: dict[int, Any] = {}
        self._fault: BaseException | None = None

    def send(self, partition: int, key: bytes, value: bytes | None, headers: list[tuple[str, bytes]]) -> None:
        """Without waiting. Raises ChangelogError."""
        self.check()
        try:
            future = self._producer.send(self.topic, value=value, key=key, headers=headers, partition=partition)
        except Exception as fault:
            self._failed(fault)
            raise self._error() from fault
        future.add_errback(self._failed)
        self._last[partition] = future

    def flush(self) -> dict[int, int]:
        """Waits until everything is written; by partition the offset behind the last write. Raises ChangelogError."""
        try:
            self._producer.flush(self._timeout_s)
        except KafkaError as fault:
            self._failed(fault)
        self.check()
        return {partition: future.value.offset + 1 for partition, future in self._last.items()}

    def check(self) -> None:
        """Raises what has become of an earlier write, again and again."""
        if self._fault is not None:
            raise self._error() from self._fault

    def _error(self) -> ChangelogError:
        return ChangelogError(
            f"{self.topic} did not take what was written ({self._fault!r}): close this consumer and start anew; "
            "what was not committed comes again",
            code="changelog-failed",
        )

    def close(self) -> None:
        self._producer.close(self._timeout_s)

    def _failed(self, fault: BaseException) -> None:
        self._fault = self._fault or fault
