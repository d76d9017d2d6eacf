# SPDX-License-Identifier: Apache-2.0
"""A join that ends while nobody polls, and one that is needed while nobody does."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


def keep_join(coordinator: Any) -> None:
    """kafka-python 3.0.12 leaves a join on its way where `poll` times out, and throws its answer away where that comes
    before the next `poll`: it joins anew then, and the whole group has to. From now on that answer counts.
    """
    join, complete = coordinator._do_join_and_sync_async, coordinator._on_join_complete_async
    # While one joins no heartbeats are sent: an answer that has waited for too long may be the group's no more.
    lasts_s = coordinator.config["session_timeout_ms"] / 3000
    kept: list[tuple[Any, float, bytes]] = []

    async def join_once() -> bytes:
        while kept:
            generation, at, earlier = kept.pop()
            if generation is coordinator._generation and time.monotonic() - at < lasts_s:
                return earlier
        answer: bytes = await join()
        kept.append((coordinator._generation, time.monotonic(), answer))
        return answer

    async def complete_join(*arguments: Any) -> None:
        kept.clear()
        await complete(*arguments)

    coordinator._do_join_and_sync_async, coordinator._on_join_complete_async = join_once, complete_join


def tell_to_join(coordinator: Any, tell: Callable[[], None]) -> None:
    """Calls it as soon as it is known that this member has to join, on whatever thread that is."""
    request = coordinator.request_rejoin

    def request_and_tell() -> None:
        request()
        tell()

    coordinator.request_rejoin = request_and_tell
