# SPDX-License-Identifier: Apache-2.0
"""What aiokafka fetches with, which has to look again after an assignment."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

_TURNS = 3


async def look_again(client: Any) -> None:
    """aiokafka 0.14.0 takes a fetch that ends in the moment of an assignment for one that is still under way. So it
    fetches nothing from that broker until it looks again, 200 ms later. To be awaited after each assignment: within so
    many turns of the loop it knows that the fetch has ended. client: a consumer that was started.
    """
    for _ in range(_TURNS):
        await asyncio.sleep(0)
    with contextlib.suppress(AttributeError):
        fetcher = client._fetcher
        fetcher._notify(fetcher._wait_consume_future)
