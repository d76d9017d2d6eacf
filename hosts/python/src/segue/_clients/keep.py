# SPDX-License-Identifier: Apache-2.0
"""The answer for members with state when libsegue has none: owners keep, orphans go to their best copy, nothing
else moves.
"""

from __future__ import annotations

from collections.abc import Sequence

from segue._clients.copies import Answer
from segue._clients.holders import Holder

_FAR = 2**62


def keep(members: Sequence[Holder], tasks: int) -> dict[str, Answer]:
    """Every partition once. Of trusted members; of two that own one partition the first keeps it."""
    members = sorted(members, key=lambda one: one.id)
    active: dict[str, set[int]] = {one.id: set() for one in members}
    for partition in range(tasks) if members else ():
        owners = [one for one in members if partition in one.copies.active]
        heir = owners[0] if owners else min(members, key=lambda one: _rank(one, partition, len(active[one.id])))
        active[heir.id].add(partition)
    return {
        one.id: Answer(
            frozenset(active[one.id]),
            one.copies.standby - active[one.id],
            one.copies.learner - active[one.id],
        )
        for one in members
    }


def _rank(one: Holder, partition: int, load: int) -> tuple[int, int, str]:
    """The nearest copy comes first, and of those that are alike the member with the fewest partitions."""
    copies = one.copies
    if (lag := copies.lag.get(partition)) is not None:
        return lag, load, one.id
    known = partition in copies.learner or partition in copies.standby or partition in copies.lag
    return (_FAR if known else _FAR + 1), load, one.id
