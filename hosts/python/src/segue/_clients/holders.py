# SPDX-License-Identifier: Apache-2.0
"""Members with state as the leader sees them, which of their claims are true, and the group that they make."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from segue._clients.copies import Answer, Copies
from segue._group import ConfigValue, Group, InputPartition, Leaving, Member, Subtopology, Task
from segue._plan import Plan

ROUND_MAX = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Holder:
    """A member that has joined: its id, the topics it subscribes to, and what it says it holds."""

    id: str
    topics: frozenset[str]
    copies: Copies


def trusted(members: Sequence[Holder], tasks: int) -> list[Holder]:
    """The members without what cannot be: partitions that are not there, two roles for one, and ownership that a
    newer claim of another disproves; what such a member has is a copy, nobody knows how old. Two owners of the same
    round both stand; what to do with them is for libsegue.
    """
    newest: dict[int, int] = {}
    for one in members:
        for partition in one.copies.active:
            newest[partition] = max(newest.get(partition, 0), one.copies.round)
    return [Holder(one.id, one.topics, _trusted(one, newest, range(tasks))) for one in members]


def _trusted(one: Holder, newest: Mapping[int, int], there: range) -> Copies:
    said = one.copies
    claimed = {partition for partition in said.active if partition in there}
    active = frozenset(partition for partition in claimed if newest[partition] == said.round)
    learner = frozenset(partition for partition in said.learner if partition in there) - active
    standby = frozenset(partition for partition in said.standby if partition in there) - active - learner
    lag: dict[int, int | None] = dict.fromkeys(sorted(claimed - active))
    lag |= {partition: behind for partition, behind in said.lag.items() if partition in there}
    # An owner that does not know yet how far it is behind is no worse than one that says nothing.
    lag = {partition: behind for partition, behind in lag.items() if partition not in active or behind is not None}
    size = {partition: said.size[partition] for partition in sorted(active & said.size.keys())}
    return replace(
        said, process=said.process or one.id, active=active, standby=standby, learner=learner, lag=lag, size=size
    )


def group(
    members: Sequence[Holder],
    tasks: int,
    config: Mapping[str, ConfigValue],
    leaving: Mapping[str, Leaving],
    now_ms: int,
    inputs: Iterable[InputPartition],
) -> Group:
    """The group for libsegue. Of trusted members. leaving: by process id; inputs: partitions whose racks are known."""
    reads: dict[int, list[InputPartition]] = {}
    for one in inputs:
        reads.setdefault(one.partition, []).append(one)
    sizes: dict[int, int] = {}
    for member in members:
        for number, size in member.copies.size.items():
            sizes[number] = max(size, sizes.get(number, 0))
    return Group(
        now_ms=now_ms,
        config=config,
        subtopologies=(Subtopology(0, tasks),) if tasks else (),
        tasks=tuple(
            Task(f"0_{number}", partitions=tuple(reads.get(number, ())), state_bytes=sizes.get(number))
            for number in sorted(reads.keys() | sizes.keys())
        ),
        members=tuple(_member(one, leaving.get(one.copies.process)) for one in members),
    )


def answers(members: Sequence[Holder], plan: Mapping[str, Answer]) -> dict[str, Answer]:
    """The plan with its round: one more than the newest where anything changes, so that a group at rest keeps its
    bytes.
    """
    newest = max((one.copies.round for one in members), default=0)
    changed = any(_differs(one.copies, plan.get(one.id, Answer())) for one in members)
    number = min(newest + changed, ROUND_MAX)
    return {one.id: _numbered(plan.get(one.id, Answer()), number) for one in members}


def planned(plan: Plan) -> dict[str, Answer]:
    """What libsegue's plan gives each member."""
    return {
        row.id: Answer(numbers(row.active), numbers(row.standby), numbers(row.learner)) for row in plan.members.values()
    }


def numbers(tasks: Iterable[str]) -> frozenset[int]:
    return frozenset(int(task.partition("_")[2]) for task in tasks)


def _numbered(answer: Answer, number: int) -> Answer:
    return Answer(answer.active, answer.standby, answer.learner, number)


def _differs(copies: Copies, answer: Answer) -> bool:
    return (copies.active, copies.standby, copies.learner) != (answer.active, answer.standby, answer.learner)


def _member(one: Holder, leaving: Leaving | None) -> Member:
    copies = one.copies
    return Member(
        one.id,
        process=copies.process,
        active=_tasks(copies.active),
        standby=_tasks(copies.standby),
        learner=_tasks(copies.learner),
        rack=copies.rack,
        lag={f"0_{partition}": lag for partition, lag in copies.lag.items()},
        leaving=leaving,
    )


def _tasks(partitions: Iterable[int]) -> tuple[str, ...]:
    return tuple(f"0_{partition}" for partition in sorted(partitions))
