# SPDX-License-Identifier: Apache-2.0
"""An assignor as a consumer of any client uses it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Protocol

from segue._clients.caller import Caller
from segue._clients.granted import granted
from segue._clients.members import Joined, next_round
from segue._clients.planner import Planner, log
from segue._clients.racks import inputs_of
from segue._clients.rejoin import rejoin_of
from segue._clients.user_data import (
    Claim,
    Partition,
    by_topic,
    decode,
    decode_claim,
    decode_round,
    encode_claim,
    encode_round,
    says_nobody_stays,
)
from segue._drain.membership import Membership, nobody_stays
from segue._errors import InputError
from segue._group import ConfigValue

# What all members of a group have in common, whatever client and strategy: the leader's strategy counts.
PROTOCOL_NAME = "segue"
# Of Kafka's own fields, the oldest form, which every client reads; what later forms add is in our bytes.
PROTOCOL_VERSION = 0


class Cluster(Protocol):
    """What the clients know of the cluster."""

    def partitions_for_topic(self, topic: str) -> set[int] | None: ...


class MemberAssignor(Protocol):
    """What a client asks of the assignor of a member with state or without. Partitions are by topic."""

    def user_data(self) -> bytes: ...

    def assign(
        self, cluster: Cluster, members: Iterable[tuple[str, Iterable[str], bytes | None]]
    ) -> dict[str, tuple[list[tuple[str, list[int]]], bytes]]: ...

    def on_assignment(self, partitions: Iterable[Partition], data: bytes | None) -> None: ...


class ConsumerAssignor:
    """The part of an assignor that all clients share. It belongs to one consumer: it knows what that one holds.

    cooperative: that one goes on with what it holds while it joins.
    """

    def __init__(self, assignor: str | None, config: dict[str, ConfigValue], *, cooperative: bool = False) -> None:
        self.planner = Planner(assignor, {dotted(key): value for key, value in config.items()})
        self.member = Membership()
        self._claim = Claim(cooperative=cooperative, rack=self.planner.settings.rack)
        self._ask_again: Callable[[], None] | None = None
        self._caller = Caller()

    @property
    def cooperative(self) -> bool:
        return self._claim.cooperative

    @property
    def active(self) -> frozenset[Partition]:
        """What this member holds."""
        return self._claim.active

    def user_data(self) -> bytes:
        """What this member says when it joins. Raises InputError where another consumer has this assignor as well."""
        self._caller.check()
        return encode_claim(replace(self._claim, voice=self.member.say()))

    def assign(
        self, cluster: Cluster, members: Iterable[tuple[str, Iterable[str], bytes | None]]
    ) -> dict[str, tuple[list[tuple[str, list[int]]], bytes]]:
        """For each member id its partitions by topic and its bytes. Of members: id, topics, bytes. Never raises."""
        joined = [Joined(id, frozenset(topics), decode_claim(data)) for id, topics, data in members]
        voices = [one.claim.voice for one in joined]
        news = self.member.news(voices)
        partitions = _partitions(cluster, joined)
        racks = self.planner.heeds_racks(one.claim.rack for one in joined)
        decided = self.planner.assign(joined, partitions, news, inputs_of(cluster, partitions) if racks else {})
        self.member.leads(decided.led, decided.frames)
        plan = granted(joined, decided.assigned)
        # A member that loses something asks for the next round itself, but not one that had lost it without knowing.
        self._ask_again = rejoin_of(cluster) if plan != decided.assigned else None
        answer = encode_round(next_round(joined, plan), nobody_stays(voices))
        return {one.id: (list(by_topic(plan.get(one.id, ())).items()), answer) for one in joined}

    def on_assignment(self, partitions: Iterable[Partition], data: bytes | None) -> None:
        """What this member got."""
        self._claim = replace(self._claim, active=frozenset(partitions), round=decode_round(data))
        self.member.round_ended(says_nobody_stays(decode(data)))
        ask_again, self._ask_again = self._ask_again, None
        if ask_again:
            ask_again()


def assignor_of(strategies: Iterable[Any]) -> ConsumerAssignor:
    """That of the SegueAssignor among a consumer's strategies. Raises InputError."""
    for strategy in strategies:
        if isinstance(found := getattr(strategy, "_assignor", None), ConsumerAssignor):
            return found
    raise InputError("this consumer has no SegueAssignor in its partition_assignment_strategy", code="bad-argument")


def dotted(key: str) -> str:
    """Kafka's name of an option that is spelt as a Python keyword: num_standby_replicas."""
    return key.replace("_", ".")


def _partitions(cluster: Cluster, members: Iterable[Joined]) -> list[Partition]:
    """A topic that the client does not know yet is left out: it joins again when it does."""
    found = []
    for topic in sorted(frozenset[str]().union(*(member.topics for member in members))):
        numbers = cluster.partitions_for_topic(topic)
        if numbers is None:
            log.info("nothing is known of the partitions of topic %s yet", topic)
        found += [(topic, number) for number in sorted(numbers or ())]
    return found
