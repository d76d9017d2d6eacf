# SPDX-License-Identifier: Apache-2.0
"""The answer when libsegue has none: owners keep their partitions, orphans are dealt, nothing else moves."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from segue._clients.members import Joined, by_subscribers, held
from segue._clients.user_data import Partition


def keep_owners(members: Sequence[Joined], partitions: Sequence[Partition]) -> dict[str, set[Partition]]:
    """Every partition once. An orphan goes to the subscriber that then has the fewest."""
    kept = _kept(members, partitions)
    owned = set().union(*kept.values())
    for ids, orphans in by_subscribers(members, set(partitions) - owned).items():
        lightest = [(len(kept[id]), id) for id in ids]
        heapq.heapify(lightest)
        for orphan in orphans:
            count, id = lightest[0]
            kept[id].add(orphan)
            heapq.heapreplace(lightest, (count + 1, id))
    return kept


def _kept(members: Sequence[Joined], partitions: Sequence[Partition]) -> dict[str, set[Partition]]:
    """What is held, and of two that hold one partition the first."""
    holds, taken = held(members, partitions), set[Partition]()
    kept = {}
    for id in sorted(holds):
        kept[id] = holds[id] - taken
        taken |= kept[id]
    return kept
