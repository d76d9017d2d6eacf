# SPDX-License-Identifier: Apache-2.0
"""What kafka-python asks of an assignor, in its own types."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kafka.coordinator.assignors.abstract import AbstractPartitionAssignor
from kafka.protocol.consumer.metadata import ConsumerProtocolAssignment, ConsumerProtocolSubscription

from segue._clients.assignor import PROTOCOL_VERSION, Cluster, MemberAssignor


class MappedAssignor(AbstractPartitionAssignor):  # type: ignore[misc]  # kafka-python has no types
    """One of ours, for the consumer that it belongs to."""

    version = PROTOCOL_VERSION

    def __init__(self, assignor: MemberAssignor) -> None:
        self._assignor = assignor

    def metadata(self, topics: Iterable[str]) -> Any:
        return ConsumerProtocolSubscription(
            version=self.version, topics=sorted(topics), user_data=self._assignor.user_data()
        )

    def assign(self, cluster: Cluster, members: Iterable[Any]) -> dict[str, Any]:
        joined = ((one.member_id, one.metadata.topics, one.metadata.user_data) for one in members)
        return {
            id: ConsumerProtocolAssignment(version=self.version, assigned_partitions=topics, user_data=data)
            for id, (topics, data) in self._assignor.assign(cluster, joined).items()
        }

    def on_assignment(self, assignment: Any, generation: int) -> None:
        self._assignor.on_assignment(assignment.partitions(), assignment.user_data)
