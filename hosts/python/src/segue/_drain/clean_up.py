# SPDX-License-Identifier: Apache-2.0
"""What has to be done at an end, each for itself."""

from __future__ import annotations

import logging
from collections.abc import Callable

from segue._drain.channel import ChannelError

log = logging.getLogger("segue")


def do_each(*steps: tuple[str, Callable[[], object]]) -> None:
    """All of them in this order; one that fails is told of by its name, and the others are done all the same."""
    for name, step in steps:
        try:
            step()
        except Exception as fault:
            expected = isinstance(fault, ChannelError)
            log.warning("cleaning up: could not %s: %s", name, fault, exc_info=not expected)
