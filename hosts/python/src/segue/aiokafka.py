# SPDX-License-Identifier: Apache-2.0
"""The assignor for consumers of aiokafka.

from aiokafka import AIOKafkaConsumer
from segue.aiokafka import SegueAssignor

AIOKafkaConsumer(..., partition_assignment_strategy=[SegueAssignor("learner")])
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from segue._clients.assignor import PROTOCOL_NAME, PROTOCOL_VERSION, Cluster, ConsumerAssignor
from segue._group import ConfigValue

try:
    from aiokafka.coordinator.protocol import ConsumerProtocolMemberAssignment, ConsumerProtocolMemberMetadata
except ImportError as fault:
    raise ImportError("segue.aiokafka needs aiokafka 0.14 or newer: pip install 'segue[aiokafka]'") from fault

__all__ = ["SegueAssignor"]


class SegueAssignor:
    """Assigns partitions by an assignor of libsegue. One for each consumer, which calls it on its event loop.

    Options are Kafka's and segue's, with underscores for dots: `SegueAssignor("learner", segue_max_compute_ms=50)`.
    Raises AssignorError, ConfigError and LibraryError at once; during a rebalance a fault is logged under the name
    "segue" and the owners keep their partitions.
    """

    name = PROTOCOL_NAME
    version = PROTOCOL_VERSION

    def __init__(self, assignor: str = "learner", **config: ConfigValue) -> None:
        self._assignor = ConsumerAssignor(assignor, config)

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
