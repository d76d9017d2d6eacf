# SPDX-License-Identifier: Apache-2.0
"""SIGTERM as a drain."""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable
from typing import Any

from segue._drain.instance import Timeout, instance_of

log = logging.getLogger("segue")


def drain_on_sigterm(consumer: Any, timeout: Timeout = None) -> None:
    """From now on SIGTERM drains this consumer and closes it, which ends the loop that polls it.

    consumer: one that was attached, or its instance. timeout: seconds after which it is closed in any case; None: when
    it is empty, however long that takes. Where it cannot be drained, and where all members of the group are leaving so
    that nobody could take over, it is closed at once. Warns now where the assignor heeds no marks, so that it could not
    be drained. A second SIGTERM does what one did before this was called: as a rule, it ends the process. To be called
    on the main thread; with aiokafka, inside the running event loop.
    """
    instance = instance_of(consumer)
    warn_of(instance.drain_obstacle)
    _once(lambda: instance.drain_and_close(timeout))


def warn_of(obstacle: str | None) -> None:
    """At the start, where something can still be done about it."""
    if obstacle:
        log.warning("SIGTERM will close this member at once, without a drain: %s", obstacle)


def _once(action: Callable[[], None]) -> None:
    import asyncio  # an application without an event loop does not pay for it

    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        _once_on_signal(action)
        return
    before = signal.getsignal(signal.SIGTERM) or signal.SIG_DFL

    def act() -> None:
        loop.remove_signal_handler(signal.SIGTERM)
        signal.signal(signal.SIGTERM, before)
        action()

    loop.add_signal_handler(signal.SIGTERM, act)


def _once_on_signal(action: Callable[[], None]) -> None:
    before = signal.getsignal(signal.SIGTERM) or signal.SIG_DFL

    def act(*_: Any) -> None:
        signal.signal(signal.SIGTERM, before)
        action()

    signal.signal(signal.SIGTERM, act)
