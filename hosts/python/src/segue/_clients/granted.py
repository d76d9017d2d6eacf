# SPDX-License-Identifier: Apache-2.0
"""What of a plan may be given in this round, where members go on with what they hold while they join.

Members of both kinds may share a group: who is not cooperative has given up everything before it joins.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from segue._clients.members import Joined
from segue._clients.user_data import Partition

Plan = Mapping[str, set[Partition]]


def granted(members: Sequence[Joined], planned: Plan) -> Plan:
    """The plan without the partitions that another may still be at. Who is at one loses it now, and in the next round
    it is nobody's.

    Every claim counts, older ones too: which of two is true cannot be told for certain, since rounds begin anew when
    nobody is left who knows them. A partition that two claim is given to neither; afterwards all claims are true.
    """
    at_work = {one.id: _at_work(one) for one in members if one.claim.cooperative}
    busy = Counter(partition for own in at_work.values() for partition in own)
    return {id: _free(given, busy, at_work.get(id, set())) for id, given in planned.items()} if busy else planned


def _at_work(one: Joined) -> set[Partition]:
    """What is not subscribed to any more is let go of before the join, in either kind."""
    return {partition for partition in one.claim.active if partition[0] in one.topics}


def _free(given: set[Partition], busy: Counter[Partition], own: set[Partition]) -> set[Partition]:
    return {partition for partition in given if busy[partition] == (partition in own)}
