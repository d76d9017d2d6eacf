# SPDX-License-Identifier: Apache-2.0
"""An assignor as a stateful consumer of any client uses it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from segue._clients.assignor import Cluster
from segue._clients.copies import Answer, Copies, decode_answer, decode_copies, encode_answer, encode_copies
from segue._clients.holders import Holder, answers, group, planned, trusted
from segue._clients.keep import keep
from segue._clients.planner import Planner, Size, log, tell_if_all_leave
from segue._clients.racks import inputs_of
from segue._clients.user_data import Partition, by_topic, decode, says_nobody_stays
from segue._drain import documents
from segue._drain.membership import Membership, nobody_stays
from segue._group import ConfigValue, InputPartition
from segue._plan import Followup

# Not the name of members without state: the broker then refuses who would join the wrong kind of group.
PROTOCOL_NAME = "segue-stateful"


class StatefulAssignor:
    """The part of an assignor that all clients share. It belongs to one consumer.

    claim: what the consumer says when it joins. answered: is told what it got. member: its part in drains and swaps.
    """

    def __init__(
        self,
        assignor: str | None,
        config: Mapping[str, ConfigValue],
        claim: Callable[[], Copies],
        answered: Callable[[Answer], None],
    ) -> None:
        self.planner = Planner(assignor, config)
        self.member = Membership()
        self._claim = claim
        self._answered = answered
        self._followup_ms: int | None = None
        self._led = False

    def user_data(self) -> bytes:
        """What this member says when it joins."""
        voice, rack = self.member.say(), self.planner.settings.rack
        return encode_copies(replace(self._claim(), leaving=voice.leaving, asked=voice.asked, rack=rack))

    def assign(
        self, cluster: Cluster, members: Iterable[tuple[str, Iterable[str], bytes | None]]
    ) -> dict[str, tuple[list[tuple[str, list[int]]], bytes]]:
        """For each member id its partitions by topic and its bytes. Of members: id, topics, bytes. Never raises."""
        self._led = True
        # Who subscribes to nothing has only knocked, and has left again by now.
        heard = ((id, frozenset(topics), data) for id, topics, data in members)
        joined = [Holder(id, topics, decode_copies(data)) for id, topics, data in heard if topics]
        counts = {topic: _count(cluster, topic) for topic in frozenset[str]().union(*(one.topics for one in joined))}
        tasks = max(_claimed(joined) if None in counts.values() else 0, *(count or 0 for count in counts.values()), 0)
        holders = trusted(joined, tasks)
        plan = answers(holders, self._plan(holders, tasks, self._inputs(cluster, holders, counts)))
        alone = nobody_stays([one.copies.voice for one in holders])
        return {one.id: (_partitions(one, plan[one.id], counts), encode_answer(plan[one.id], alone)) for one in holders}

    def on_assignment(self, partitions: Iterable[Partition], data: bytes | None) -> None:
        """What this member got."""
        if not self._led:
            self._followup_ms = None
        self._led = False
        self._answered(decode_answer(frozenset(number for _, number in partitions), data))
        self.member.round_ended(says_nobody_stays(decode(data)))

    def followup_due(self) -> bool:
        """Whether this member led, and the plan wants another rebalance by now."""
        return self._followup_ms is not None and documents.now_ms() >= self._followup_ms

    def _inputs(
        self, cluster: Cluster, members: Iterable[Holder], counts: Mapping[str, int | None]
    ) -> Iterable[InputPartition]:
        if not self.planner.heeds_racks(one.copies.rack for one in members):
            return ()
        partitions = [(topic, number) for topic in sorted(counts) for number in range(counts[topic] or 0)]
        return inputs_of(cluster, partitions).values()

    def _plan(self, members: Sequence[Holder], tasks: int, inputs: Iterable[InputPartition]) -> dict[str, Answer]:
        voices, size = [one.copies.voice for one in members], Size(tasks, len(members))
        assignor, leaving = self.planner.heeded(self.member.news(voices))
        try:
            tell_if_all_leave(voices, leaving)
            asked = group(members, tasks, self.planner.config, leaving, documents.now_ms(), inputs)
            recorded = self.planner.ask(asked, assignor)
            plan = recorded.plan
            self._followup_ms = _not_at_once(plan.followup)
            self.member.leads(self.planner.led(assignor, [plan], size), (recorded.frame,))
            return planned(plan)
        except Exception as fault:
            log.exception("%s: no plan; owners keep their partitions, orphans go to their best copy", assignor)
            self._followup_ms = None
            self.member.leads(self.planner.kept_owners(assignor, size, fault))
            return keep(members, tasks)


def _not_at_once(followup: Followup) -> int | None:
    """When the plan wants another rebalance. A time that has passed already is no reason for one after the other."""
    if not followup.needed or followup.at_ms is None:
        return None
    return max(followup.at_ms, documents.now_ms() + 1000)


def _count(cluster: Cluster, topic: str) -> int | None:
    """A topic that the client does not know yet: nobody gives up what it has for that."""
    numbers = cluster.partitions_for_topic(topic)
    if numbers is None:
        log.info("nothing is known of the partitions of topic %s yet", topic)
    return None if numbers is None else len(numbers)


def _claimed(members: Iterable[Holder]) -> int:
    return max((partition + 1 for one in members for partition in one.copies.active if partition < 2**20), default=0)


def _partitions(one: Holder, answer: Answer, counts: Mapping[str, int | None]) -> list[tuple[str, list[int]]]:
    return list(
        by_topic(
            (topic, number)
            for topic in one.topics
            for number in answer.active
            if (count := counts[topic]) is None or number < count
        ).items()
    )
