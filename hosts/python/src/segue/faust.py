# SPDX-License-Identifier: Apache-2.0
"""The assignor for applications of Faust.

    app = faust.App("orders", store="rocksdb://", PartitionAssignor="segue.faust:PartitionAssignor")

A partition of co-partitioned topics is a task, and the changelogs of its tables are its state. A worker that joins
learns its tasks beside their owners, as standbys, and takes over when it has caught up. Which strategy decides is said
by SEGUE_ASSIGNOR in the environment or by `PartitionAssignor.configured("scale-down")`.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from segue._clients.planner import Planner, Size, tell_if_all_leave
from segue._clients.user_data import by_topic
from segue._drain import instance as instances
from segue._drain.documents import now_ms
from segue._drain.instance import Instance, Timeout
from segue._drain.membership import Membership, nobody_stays
from segue._drain.sigterm import warn_of
from segue._drain.state import DrainResult
from segue._errors import InputError
from segue._faust.fallback import keep_owners
from segue._faust.groups import assigned, groups
from segue._faust.probation import Probation
from segue._faust.settings import ACCEPTABLE, PROBING, settings
from segue._faust.topics import Topics, copartitioned, topic_groups
from segue._faust.wire import Said, extend, partitions, read
from segue._faust.workers import Assigned, Worker, next_round
from segue._group import ConfigValue
from segue._state.folder import Folder

try:
    from aiokafka.coordinator.protocol import ConsumerProtocolMemberAssignment, ConsumerProtocolMemberMetadata
    from faust.assignor import PartitionAssignor as FaustAssignor
    from faust.assignor.client_assignment import ClientAssignment, ClientMetadata

    from segue._faust.flow import keep_changelogs
    from segue._faust.flush import flush
    from segue._faust.seat import end
    from segue._faust.tables import tables_of
    from segue._faust.watch import Watch
except ImportError as fault:
    raise ImportError(
        "segue.faust needs faust-streaming 0.15 or newer: pip install 'faust-streaming>=0.15.3'"
    ) from fault

__all__ = ["Instance", "PartitionAssignor", "drain", "drain_on_sigterm", "instance"]

log = logging.getLogger("segue")


class PartitionAssignor(FaustAssignor):
    """Faust's setting `PartitionAssignor`. It speaks as Faust's own does, so that a fleet may mix both.

    Raises AssignorError, ConfigError and LibraryError when the worker starts; during a rebalance a fault is logged
    under the name "segue" and the owners keep their partitions.
    """

    assignor: ClassVar[str | None] = None
    config: ClassVar[Mapping[str, ConfigValue]] = {}

    def __init__(self, app: Any, replicas: int = 0) -> None:
        super().__init__(app, replicas=replicas)
        self.settings = settings(self.config, replicas, os.environ)
        self.member = Membership()
        self.planner = Planner(self.assignor, self.settings.group)
        self._probation = Probation(self.settings.own[PROBING] / 1000, time.monotonic)
        self._leads_until: float | None = None
        self.watch = Watch(app, self.settings.own, self.member, self._attach)
        keep_changelogs(app)
        app.on_partitions_revoked.connect(self._let_go)
        _warn_of_memory(app)

    @classmethod
    def configured(cls, assignor: str | None = None, **config: ConfigValue) -> type[PartitionAssignor]:
        """The class with options, Kafka's and segue's with underscores for dots, for Faust's setting.

        `PartitionAssignor=segue.faust.PartitionAssignor.configured("scale-down", segue_max_learners=4)`
        """
        options = {key.replace("_", "."): value for key, value in config.items()}
        return type(cls.__name__, (cls,), {"assignor": assignor, "config": options, "__module__": cls.__module__})

    def metadata(self, topics: set[str]) -> Any:
        """What this worker joins with: Faust's own document, and ours in it."""
        own = super().metadata(topics)
        self.watch.seat.subscribed = frozenset(topics)
        try:
            return ConsumerProtocolMemberMetadata(
                own.version, own.subscription, extend(own.user_data, self.watch.says())
            )
        except Exception:
            log.exception("this worker joins without saying what it has on its disk")
            return own

    def on_assignment(self, assignment: Any) -> None:
        super().on_assignment(assignment)
        self.watch.hears(read(self._decompress(assignment.user_data)) or Said(), self._leads_until)
        self._leads_until = None

    def _attach(self) -> None:
        """From here on this worker is seen, and can be drained and swapped."""
        self._folder = _folder(self.app)
        self.member.instance = self._folder.process_id if self._folder else self.member.instance
        instances.attend_to(self.app, self.watch.seat, self)

    async def _let_go(self, app: Any, revoked: Any, **_: Any) -> None:
        """Faust waits for it before it joins again."""
        try:
            await flush(app)
        except Exception:
            log.exception("the changelogs could not be flushed")

    def _perform_assignment(self, cluster: Any, member_metadata: Mapping[str, Any]) -> Any:
        """Of the leader. Faust measures and traces it."""
        try:
            return self._answer(cluster, member_metadata, self._plan)
        except Exception:
            log.exception("no plan; the owners keep their tasks")
        return self._answer(cluster, member_metadata, self._keep)

    def _answer(self, cluster: Any, members: Mapping[str, Any], plan: Any) -> dict[str, Any]:
        documents = {id: _document(id, one.user_data) for id, one in members.items()}
        self._member_urls = {id: document.url for id, document in documents.items()}
        workers = [_worker(id, one, documents[id]) for id, one in members.items()]
        counts = _counts(cluster, workers)
        held = {place for worker in workers for place in worker.actives}
        sets = copartitioned(counts, {worker.id: worker.topics for worker in workers}, tables_of(self.app), held)
        given = plan(workers, [topics for topics in sets if topics.planned])
        # A worker of Faust's own assignor says nothing, and stays.
        said = Said(round=next_round(workers, given), nobody_stays=nobody_stays([one.words.voice for one in workers]))
        return self._protocol(given, counts, sets, said)

    def _plan(self, workers: list[Worker], sets: list[Topics]) -> dict[str, Assigned]:
        voices = [worker.words.voice for worker in workers]
        assignor, leaving = self.planner.heeded(self.member.news(voices))
        tell_if_all_leave(voices, leaving)
        asked = groups(
            self._probation.speak_for(workers),
            sets,
            self.planner.config,
            leaving,
            self.settings.own[ACCEPTABLE],
            now_ms(),
        )
        answers = [(rows, group, self.planner.ask(group, assignor)) for rows, group in asked]
        plans = [recorded.plan for _, _, recorded in answers]
        given = assigned([(rows, group, one.plan) for rows, group, one in answers], [worker.id for worker in workers])
        self._probation.begin(workers, given)
        self._leads_until = self._probation.ends_at()
        frames = tuple(recorded.frame for _, _, recorded in answers)
        self.member.leads(self.planner.led(assignor, plans, _size(workers, sets)), frames)
        return given

    def _keep(self, workers: list[Worker], sets: list[Topics]) -> dict[str, Assigned]:
        fault = RuntimeError("no plan; the log of this worker says why")
        self.member.leads(self.planner.kept_owners(self.planner.assignor, _size(workers, sets), fault))
        return keep_owners(workers, sets)

    def _protocol(
        self, given: dict[str, Assigned], counts: dict[str, int], sets: list[Topics], said: Said
    ) -> dict[str, Any]:
        """As Faust says it, with what we add for workers that read it."""
        assignments = self._global_table_standby_assignments(
            {
                id: ClientAssignment(actives=by_topic(one.actives), standbys=by_topic(one.standbys))
                for id, one in given.items()
            },
            counts,
        )
        answers = self._protocol_assignments(
            assignments,
            self._get_changelog_distribution(assignments),
            self._get_external_topic_distribution(assignments),
            topic_groups(sets),
        )
        changelogs = self._table_manager.changelog_topics
        return {id: self._extended(one, given[id], said, changelogs) for id, one in answers.items()}

    def _extended(self, answer: Any, given: Assigned, to_all: Said, changelogs: set[str]) -> Any:
        learner = frozenset(place for place in given.learners if place[0] in changelogs)
        said = replace(to_all, learner=learner, owned=given.owned)
        data = self._compress(extend(self._decompress(answer.user_data), said))
        return ConsumerProtocolMemberAssignment(answer.version, answer.assignment, data)


def instance(app: Any) -> Instance:
    """The handle for drains and swaps, over HTTP and by `segue drain` as well. From the first assignment on; raises
    InputError before.
    """
    if not isinstance(app.assignor, PartitionAssignor):
        raise InputError(
            f"{app.conf.id}: PartitionAssignor='segue.faust:PartitionAssignor' is wanted in its settings; "
            f"it has {type(app.assignor).__module__}:{type(app.assignor).__name__}",
            code="bad-argument",
        )
    try:
        return instances.instance_of(app)
    except InputError:
        raise InputError(f"{app.conf.id}: this worker has not joined its group yet", code="bad-argument") from None


async def drain(app: Any, timeout: Timeout = None, *, stay: bool = False) -> DrainResult:
    """Marks this worker as leaving, waits until others have taken over its tasks, and stops it: `Instance.drain`."""
    return await instance(app).drain(timeout, stay=stay)


def drain_on_sigterm(app: Any, timeout: Timeout = None) -> None:
    """The first SIGTERM drains the worker and stops it, the second stops it at once.

    timeout: seconds after which it is stopped in any case. Call it where the App is made; until the worker has joined
    its group SIGTERM is Faust's.
    """

    async def arm() -> None:
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, act, loop)
        if isinstance(app.assignor, PartitionAssignor):
            planner = app.assignor.planner
            warn_of(planner.offer.obstacle(planner.assignor))

    def act(loop: asyncio.AbstractEventLoop) -> None:
        loop.add_signal_handler(signal.SIGTERM, end, app)
        try:
            instance(app).drain_and_close(timeout)
        except InputError as fault:
            log.warning("stopping at once, without a drain: %s", fault)
            end(app)

    app.task(arm)


def _folder(app: Any) -> Folder | None:
    """Where its state is: a mark outlives the process there."""
    if not tables_of(app).on_disk:
        return None
    try:
        return Folder(app.conf.tabledir)
    except (OSError, InputError) as fault:
        log.warning("a restart of this worker will not be known as such: %s", fault)
        return None


def _document(id: str, data: bytes) -> ClientMetadata:
    """What a worker joined with; one that holds nothing where it cannot be read."""
    try:
        return ClientMetadata.loads(data)
    except Exception:
        log.warning("%s: what it joined with is no document of Faust; it counts as new", id)
        return ClientMetadata(assignment=ClientAssignment(actives={}, standbys={}), url="", changelog_distribution={})


def _worker(id: str, metadata: Any, document: ClientMetadata) -> Worker:
    return Worker(
        id,
        topics=frozenset(metadata.subscription),
        actives=partitions(document.assignment.actives),
        standbys=partitions(document.assignment.standbys),
        said=read(metadata.user_data),
    )


def _counts(cluster: Any, workers: list[Worker]) -> dict[str, int]:
    """Partitions of each topic. One that is not there yet is left out: Faust joins again when it is."""
    counts: dict[str, int] = defaultdict(int)
    for topic in frozenset[str]().union(*(worker.topics for worker in workers)):
        counts[topic] = len(cluster.partitions_for_topic(topic) or ())
        if not counts[topic]:
            log.warning("nothing is known of the partitions of topic %s yet", topic)
    return counts


def _size(workers: list[Worker], sets: list[Topics]) -> Size:
    return Size(sum(topics.partitions for topics in sets), len(workers))


def _warn_of_memory(app: Any) -> None:
    for topic in sorted(tables_of(app).in_memory):
        log.warning(
            "%s: the table's store keeps nothing on disk, so that nobody can learn it beside its owner: "
            "its tasks move cold, as with Faust's own assignor; store='rocksdb://' would let them be learnt",
            topic,
        )
