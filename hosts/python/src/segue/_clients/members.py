# SPDX-License-Identifier: Apache-2.0
"""A member as the leader sees it, and which of the claims are true."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from segue._clients.user_data import Claim, Partition


@dataclass(frozen=True, slots=True)
class Joined:
    """A member that has joined: its id, the topics it subscribes to, and what it says it holds."""

    id: str
    topics: frozenset[str]
    claim: Claim


def by_subscribers(
    members: Iterable[Joined], partitions: Iterable[Partition]
) -> dict[tuple[str, ...], list[Partition]]:
    """Partitions in order, by the ids of the members that may have them."""
    topics: dict[str, list[Partition]] = {}
    for partition in sorted(partitions):
        topics.setdefault(partition[0], []).append(partition)
    members = sorted(members, key=lambda one: one.id)
    found: dict[tuple[str, ...], list[Partition]] = {}
    for topic, rows in topics.items():
        found.setdefault(tuple(member.id for member in members if topic in member.topics), []).extend(rows)
    return found


def held(members: Sequence[Joined], partitions: Iterable[Partition]) -> dict[str, set[Partition]]:
    """What each member holds: its claims to partitions that are there and subscribed, without those that a newer claim
    of another disproves. Two of the same round both stand; what to do with them is for libsegue.
    """
    there = set(partitions)
    newest: dict[Partition, int] = {}
    for member in members:
        for partition in member.claim.active:
            newest[partition] = max(newest.get(partition, 0), member.claim.round)
    return {
        member.id: {
            partition
            for partition in member.claim.active
            if partition in there and partition[0] in member.topics and newest[partition] == member.claim.round
        }
        for member in members
    }


def next_round(members: Iterable[Joined], assigned: Mapping[str, set[Partition]]) -> int:
    """One more than the newest when somebody's partitions change, so that a group at rest keeps its bytes."""
    members = list(members)
    newest = max((member.claim.round for member in members), default=0)
    changed = any(member.claim.active != assigned.get(member.id, set()) for member in members)
    return newest + changed
