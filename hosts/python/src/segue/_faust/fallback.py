# SPDX-License-Identifier: Apache-2.0
"""The answer when libsegue has none: owners keep their tasks, orphans go to a copy or are dealt, nothing else moves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from segue._faust.topics import Topics
from segue._faust.workers import Assigned, Worker, kept_beside, owned


def keep_owners(workers: Sequence[Worker], sets: Iterable[Topics]) -> dict[str, Assigned]:
    """Every task once. Standbys and learners stay as they are, beside an owner elsewhere."""
    found = {worker.id: Assigned() for worker in workers}
    for topics in sets:
        _keep([worker for worker in workers if worker.id in topics.subscribers], topics, found)
    return found


def _keep(workers: Sequence[Worker], topics: Topics, found: dict[str, Assigned]) -> None:
    holds = owned(workers, topics)
    beside = {worker.id: kept_beside(worker, topics, holds[worker.id]) for worker in workers}
    owner: dict[int, str] = {}
    for id in sorted(holds):
        for number in holds[id]:
            owner.setdefault(number, id)
    for number in range(topics.partitions):
        if number not in owner:
            owner[number] = min(holds, key=lambda id: (number not in beside[id], len(found[id].actives), id))
        places = {(name, number) for name in topics.names}
        found[owner[number]].actives |= places
        found[owner[number]].owned += len(workers) > 1 or len(found) == 1
        for worker in workers:
            if number in beside[worker.id] and worker.id != owner[number]:
                found[worker.id].standbys |= places
                found[worker.id].learners |= places & worker.words.learner
