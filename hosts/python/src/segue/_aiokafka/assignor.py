# SPDX-License-Identifier: Apache-2.0
"""What aiokafka calls at a rebalance of stateful consumers, on the application's event loop."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from aiokafka.coordinator.protocol import ConsumerProtocolMemberAssignment, ConsumerProtocolMemberMetadata

from segue._clients.assignor import PROTOCOL_VERSION, Cluster
from segue._clients.stateful import PROTOCOL_NAME, StatefulAssignor


class Assignor:
    """arrived: called before anything of a new assignment can be fetched."""

    name = PROTOCOL_NAME
    version = PROTOCOL_VERSION

    def __init__(self, assignor: StatefulAssignor, arrived: Callable[[], None]) -> None:
        self._assignor = assignor
        self._arrived = arrived

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
        self._arrived()
