# SPDX-License-Identifier: Apache-2.0
"""Members and partitions as groups for libsegue: each partition is a task without state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from segue._clients.members import Joined, by_subscribers, held
from segue._clients.user_data import Partition, by_topic
from segue._group import ConfigValue, Group, InputPartition, Leaving, Member, Subtopology, Task
from segue._plan import Plan


def groups(
    members: Sequence[Joined],
    partitions: Sequence[Partition],
    config: Mapping[str, ConfigValue],
    leaving: Mapping[str, Leaving],
    now_ms: int,
    inputs: Mapping[Partition, InputPartition],
) -> Iterator[Group]:
    """One group where all members subscribe to the same topics, as they should.

    While they do not, the topics that the same members share make a group of their own: libsegue gives any task to any
    member of a group. Each is balanced for itself. leaving: by instance. A member's process is
    its instance, by which tools know it. inputs: partitions whose racks are known.
    """
    holds = held(members, partitions)
    marks = {member.id: leaving.get(member.claim.voice.instance or "") for member in members}
    instances = {member.id: member.claim.voice.known_as for member in members}
    racks = {member.id: member.claim.rack for member in members}
    for ids, tasks in by_subscribers(members, partitions).items():
        topics = by_topic(tasks)
        whole = {topic for topic in topics if _whole(topics[topic])}
        yield Group(
            config=config,
            subtopologies=tuple(
                Subtopology(one, len(topics[one]), stateful=False) for one in topics if _whole(topics[one])
            ),
            tasks=tuple(_task(one, inputs.get(one)) for one in tasks if one[0] not in whole or one in inputs),
            members=tuple(
                Member(
                    id,
                    process=instances[id],
                    rack=racks[id],
                    active=_ids(one for one in holds[id] if one[0] in topics),
                    leaving=marks[id],
                )
                for id in ids
            ),
            now_ms=now_ms,
        )


def _task(partition: Partition, read: InputPartition | None) -> Task:
    return Task(task_id(partition), stateful=False, partitions=() if read is None else (read,))


def assigned(plans: Iterable[Plan]) -> dict[str, set[Partition]]:
    """What the plans give each member."""
    found: dict[str, set[Partition]] = {}
    for plan in plans:
        for row in plan.members.values():
            found.setdefault(row.id, set()).update(map(partition_of, row.active))
    return found


def _whole(numbers: Sequence[int]) -> bool:
    """A topic has partitions from 0 on, as a rule: then it needs no line for each. Numbers come in order, each once."""
    return bool(numbers) and numbers[0] == 0 and numbers[-1] == len(numbers) - 1


def task_id(partition: Partition) -> str:
    return f"{partition[0]}_{partition[1]}"


def partition_of(task: str) -> Partition:
    """A topic's name may have underscores too; the number is behind the last."""
    topic, _, number = task.rpartition("_")
    return topic, int(number)


def _ids(partitions: Iterable[Partition]) -> tuple[str, ...]:
    return tuple(map(task_id, sorted(partitions)))
