# SPDX-License-Identifier: Apache-2.0
"""Everything that is in a table is in its changelog before its owner lets go of it.

Faust flushes its producer there too, but gives up when no record was sent for a tenth of a second, as on a machine
that is busy. The next owner would read the changelog without the rest, and go on behind it.
"""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any

log = logging.getLogger("segue")

_PAUSE_S = 0.01


async def flush(app: Any) -> None:
    """Waits until nothing is left to be sent, for half of the session's timeout at the most."""
    producer = app._producer
    if producer is None or not producer.buffer.size:
        return
    left, began = producer.buffer.size, time.monotonic()
    while producer.buffer.size and time.monotonic() - began < app.conf.broker_session_timeout / 2:
        await asyncio.sleep(_PAUSE_S)
    await producer.flush()
    log.info("%d records were left for the changelogs, sent in %.2f s", left, time.monotonic() - began)
    if producer.buffer.size:
        log.error("%d records have not reached the changelogs; who takes over does not see them", producer.buffer.size)
