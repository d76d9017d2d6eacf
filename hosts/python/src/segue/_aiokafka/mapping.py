# SPDX-License-Identifier: Apache-2.0
"""What aiokafka asks of an assignor, in its own types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from aiokafka.coordinator.protocol import ConsumerProtocolMemberAssignment, ConsumerProtocolMemberMetadata

from segue._clients.assignor import PROTOCOL_VERSION, Cluster, MemberAssignor


class MappedAssignor:
    """One of ours, for the consumer that it belongs to."""

    version = PROTOCOL_VERSION

    def __init__(self, assignor: MemberAssignor) -> None:
        self._assignor = assignor

    def metadata(self, topics: Iterable[str]) -> Any:
        return ConsumerProtocolMemberMetadata(self.version, sorted(topics), self._assignor.user_data())

    def assign(self, cluster: Cluster, members: Mapping[str, Any]) -> dict[str, Any]:
        joined = ((id, one.subscription, one.user_data) for id, one in members.items())
        return {
            id: ConsumerProtocolMemberAssignment(self.version, topics, data)
            for id, (topics, data) in self._assignor.assign(cluster, joined).items()
        }

    def on_assignment(self, assignment: Any) -> None:
        self._assignor.on_assignment(assignment.partitions(), assignment.user_data)
