# SPDX-License-Identifier: Apache-2.0
"""Heartbeats of aiokafka at the moments of the group."""

from __future__ import annotations

import asyncio
from typing import Any

from segue._clients.beats import Beats


def keep_beats(coordinator: Any, beats: Beats) -> None:
    """From now on it sends them then; one that has failed is repeated as ever. Before the task that sends them starts,
    which would wait for an interval between two; all waiting is done here now.
    """
    send = coordinator._do_heartbeat
    loop = asyncio.get_running_loop()
    sent, worked = loop.time(), True

    async def send_then() -> bool:
        nonlocal sent, worked
        if worked:
            await asyncio.sleep(beats.left_s(loop.time() - sent))
        sent = loop.time()
        worked = bool(await send())
        return worked

    coordinator._do_heartbeat, coordinator._heartbeat_interval_ms = send_then, 0
