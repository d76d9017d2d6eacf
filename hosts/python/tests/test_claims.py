# SPDX-License-Identifier: Apache-2.0
"""Claims that contradict each other, as public reports have them: after restarts, lost rounds, mixed fleets."""

from __future__ import annotations

import random
from typing import Any

import pytest
from test_columns import columns_of, members_of

import segue

MEMBERS, TASKS = 84, 100
EVERY = [f"0_{number}" for number in range(TASKS)]


def all_claim_all(_: int) -> list[str]:
    return EVERY


def some_claim_the_same(member: int) -> list[str]:
    return sorted(random.Random(member).sample(EVERY, 10))


def nobody_claims(_: int) -> list[str]:
    return []


def one_claims_all(member: int) -> list[str]:
    return EVERY if member == 3 else []


@pytest.mark.parametrize("stateful", [True, False])
@pytest.mark.parametrize("claims", [all_claim_all, some_claim_the_same, nobody_claims, one_claims_all])
def test_84_members_of_one_process_are_balanced_in_one_round(host: segue.Host, stateful: bool, claims: Any) -> None:
    """Whatever they claim, who share a disk hold every task once and one or two each after a single plan."""
    members = [{"id": f"m{n:02}", "process": "p", "active": claims(n)} for n in range(MEMBERS)]
    shape = {"id": 0, "partitions": TASKS, "stateful": stateful}
    group = {"segue": "group/1", "subtopologies": [shape], "members": members}
    columns = columns_of(host, group)
    for assignor in (one.name for one in host.assignors()):
        plan = host.assign(assignor, group)
        held = {id: one.active for id, one in plan.members.items()}
        assert sorted(task for part in held.values() for task in part) == sorted(EVERY), assignor
        assert {len(part) for part in held.values()} == {1, 2}, assignor
        assert not plan.followup.needed, assignor
        assert not plan.report.fallback, assignor
        by_columns = members_of(host.assign_columns(assignor, columns), columns)
        assert {id: tuple(row["active"]) for id, row in by_columns.items()} == held, assignor
