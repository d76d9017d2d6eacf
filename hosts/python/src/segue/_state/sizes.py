# SPDX-License-Identifier: Apache-2.0
"""How large states are, as the leader hears of it."""

from __future__ import annotations

from collections.abc import Iterable

from segue._state.log import log
from segue._state.store import Store

_DIGITS = 4


def sizes_of(store: Store, partitions: Iterable[int]) -> dict[int, int]:
    """Bytes of each partition whose store knows, rounded up by an eighth at the most: what a member says when it joins
    changes with what is of interest.
    """
    found = {}
    for partition in sorted(partitions):
        try:
            size = store.state_bytes(partition)
        except Exception:
            log.exception("partition %d: the store failed in state_bytes()", partition)
            continue
        if size is not None:
            step = 1 << max(size.bit_length() - _DIGITS, 0)
            found[partition] = -(-size // step) * step
    return found
