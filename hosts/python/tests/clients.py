# SPDX-License-Identifier: Apache-2.0
"""The clients as the contract's tests see them: what crosses between members is bytes, encoded by the client itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from aiokafka.coordinator.protocol import ConsumerProtocol
from kafka.protocol.consumer.metadata import ConsumerProtocolAssignment, ConsumerProtocolSubscription

import segue.aiokafka
import segue.kafka_python

Partitions = set[tuple[str, int]]


class Topics(dict[str, int]):
    """Partitions by topic, asked for as the clients' clusters are."""

    def partitions_for_topic(self, topic: str) -> set[int] | None:
        return set(range(self[topic])) if topic in self else None


@dataclass
class JoinResponseMember:
    """As kafka-python hands it to an assignor."""

    member_id: str
    metadata: Any
    group_instance_id: str | None = None


class KafkaPython:
    def __init__(self, assignor: str = "learner", **config: Any) -> None:
        self.assignor = segue.kafka_python.SegueAssignor(assignor, **config)

    def join(self, topics: Iterable[str]) -> bytes:
        return bytes(self.assignor.metadata(set(topics)).encode())

    def lead(self, topics: Topics, joined: Mapping[str, bytes]) -> dict[str, bytes]:
        members = [JoinResponseMember(id, ConsumerProtocolSubscription.decode(data)) for id, data in joined.items()]
        return {id: bytes(one.encode()) for id, one in self.assignor.assign(topics, members).items()}

    def take(self, data: bytes) -> Partitions:
        assignment = ConsumerProtocolAssignment.decode(data)
        self.assignor.on_assignment(assignment, 1)
        return {(topic, number) for topic, number in assignment.partitions()}


class Aiokafka:
    def __init__(self, assignor: str = "learner", **config: Any) -> None:
        self.assignor = segue.aiokafka.SegueAssignor(assignor, **config)

    def join(self, topics: Iterable[str]) -> bytes:
        return bytes(self.assignor.metadata(set(topics)).encode())

    def lead(self, topics: Topics, joined: Mapping[str, bytes]) -> dict[str, bytes]:
        members = {id: ConsumerProtocol.METADATA.decode(data) for id, data in joined.items()}
        return {id: bytes(one.encode()) for id, one in self.assignor.assign(topics, members).items()}

    def take(self, data: bytes) -> Partitions:
        assignment = ConsumerProtocol.ASSIGNMENT.decode(data)
        self.assignor.on_assignment(assignment)
        return {(topic, number) for topic, number in assignment.partitions()}


Client = KafkaPython | Aiokafka
CLIENTS: tuple[type[KafkaPython] | type[Aiokafka], ...] = (KafkaPython, Aiokafka)


@dataclass
class Fleet:
    """Members of one consumer group without a broker. The first is the leader."""

    topics: Topics
    members: dict[str, Client] = field(default_factory=dict)
    subscribed: dict[str, set[str]] = field(default_factory=dict)

    def add(self, id: str, client: Client, topics: Iterable[str] | None = None) -> None:
        self.members[id] = client
        self.subscribed[id] = set(self.topics if topics is None else topics)

    def remove(self, id: str) -> None:
        del self.members[id]

    def joined(self) -> dict[str, bytes]:
        return {id: client.join(self.subscribed[id]) for id, client in self.members.items()}

    def rebalance(self, joined: Mapping[str, bytes] | None = None) -> dict[str, Partitions]:
        """All join, the leader answers, all take. `joined` replaces what members say."""
        leader = next(iter(self.members.values()))
        answers = leader.lead(self.topics, self.joined() | dict(joined or {}))
        return {id: self.members[id].take(data) for id, data in answers.items()}

    @property
    def partitions(self) -> Partitions:
        return {(topic, number) for topic, count in self.topics.items() for number in range(count)}
