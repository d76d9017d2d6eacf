# SPDX-License-Identifier: Apache-2.0
"""Workers and tasks as groups for libsegue, and its plans as assignments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from segue._clients.user_data import Partition
from segue._faust.topics import Topics, by_subscribers
from segue._faust.wire import Copy
from segue._faust.workers import Assigned, Worker, kept_beside, owned
from segue._group import ConfigValue, Group, Leaving, Member, Subtopology
from segue._plan import Plan


def groups(
    workers: Sequence[Worker],
    sets: Iterable[Topics],
    config: Mapping[str, ConfigValue],
    leaving: Mapping[str, Leaving],
    acceptable: int,
    now_ms: int,
) -> Iterator[tuple[list[Topics], Group]]:
    """One group for the sets that the same workers read, which is one for all as a rule. leaving: by instance, which is
    a worker's process as well: that has the disk.
    """
    ends = _ends(workers)
    for ids, rows in by_subscribers(sets).items():
        holds = {topics.id: owned(workers, topics) for topics in rows}
        yield (
            rows,
            Group(
                now_ms=now_ms,
                config=config,
                subtopologies=tuple(Subtopology(one.id, one.partitions, stateful=one.stateful) for one in rows),
                members=tuple(
                    _member(worker, [(one, holds[one.id][worker.id]) for one in rows], ends, acceptable, leaving)
                    for worker in workers
                    if worker.id in ids
                ),
            ),
        )


def assigned(answers: Iterable[tuple[Sequence[Topics], Group, Plan]], ids: Iterable[str]) -> dict[str, Assigned]:
    """What the plans give each worker."""
    found = {id: Assigned() for id in ids}
    for rows, group, plan in answers:
        sets = {one.id: one for one in rows}
        shared = len(group.members) > 1 or len(found) == 1
        for row in plan.members.values():
            one = found[row.id]
            one.actives.update(_partitions(row.active, sets))
            one.standbys.update(_partitions((*row.standby, *row.learner), sets))
            one.learners.update(_partitions(row.learner, sets))
            one.owned += len(row.active) if shared else 0
    return found


def _partitions(tasks: Iterable[str], sets: Mapping[int, Topics]) -> Iterator[Partition]:
    for task in tasks:
        topics = sets[int(task.rpartition("_")[0])]
        for name in topics.names:
            yield name, topics.of(task)


def _member(
    worker: Worker,
    rows: Sequence[tuple[Topics, list[int]]],
    ends: Mapping[Partition, int],
    acceptable: int,
    leaving: Mapping[str, Leaving],
) -> Member:
    active: list[str] = []
    standby: list[str] = []
    learner: list[str] = []
    lags: dict[str, int | None] = {}
    for topics, owns in rows:
        beside = kept_beside(worker, topics, owns)
        active += map(topics.task, owns)
        for number in beside:
            (learner if _any(worker.words.learner, topics, number) else standby).append(topics.task(number))
        lags |= _lags(worker, topics, set(owns), set(beside), ends, acceptable)
    return Member(
        worker.id,
        process=worker.words.voice.known_as,
        active=tuple(active),
        standby=tuple(standby),
        learner=tuple(learner),
        lag=lags,
        leaving=leaving.get(worker.words.voice.instance or ""),
    )


def _lags(
    worker: Worker,
    topics: Topics,
    owns: set[int],
    beside: set[int],
    ends: Mapping[Partition, int],
    acceptable: int,
) -> dict[str, int | None]:
    """Lags of the copies that the worker tells of."""
    lags: dict[str, int | None] = {}
    told = {number for topic, number in (*worker.words.copies, *worker.words.ready) if topic in topics.changelogs}
    for number in sorted(told) if topics.stateful else ():
        if number >= topics.partitions:
            continue
        lag = _lag(worker, topics, number, ends)
        if number in beside:
            lag = _judged(lag, _all(worker.words.ready, topics, number), acceptable)
        elif number in owns and not lag:
            continue  # it has caught up, as an owner has as a rule
        lags[topics.task(number)] = lag
    return lags


def _lag(worker: Worker, topics: Topics, number: int, ends: Mapping[Partition, int]) -> int | None:
    """Records to replay, of all changelogs of the task. None: it cannot say."""
    total = 0
    for name in topics.changelogs:
        copy = worker.words.copies.get((name, number), Copy(position=0))
        end = ends.get((name, number)) if copy.end is None else copy.end
        if copy.position is None or end is None:
            return None
        total += max(end - copy.position, 0)
    return total


def _judged(lag: int | None, ready: bool, acceptable: int) -> int | None:
    """The worker has judged by itself whether a copy is ready: it has also read what there was at its start."""
    if ready:
        return min(lag or 0, acceptable)
    return None if lag is None else max(lag, acceptable + 1)


def _ends(workers: Iterable[Worker]) -> dict[Partition, int]:
    """The end of each changelog, as far as anybody knows it."""
    ends: dict[Partition, int] = {}
    for worker in workers:
        for place, copy in worker.words.copies.items():
            ends[place] = max(ends.get(place, 0), copy.position or 0, copy.end or 0)
    return ends


def _any(places: frozenset[Partition], topics: Topics, number: int) -> bool:
    return any((name, number) in places for name in topics.changelogs)


def _all(places: frozenset[Partition], topics: Topics, number: int) -> bool:
    return all((name, number) in places for name in topics.changelogs)
