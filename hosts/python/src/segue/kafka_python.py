# SPDX-License-Identifier: Apache-2.0
"""The assignor for consumers of kafka-python, and a consumer with state.

from kafka import KafkaConsumer
from segue.kafka_python import SegueAssignor

KafkaConsumer(..., partition_assignment_strategy=[SegueAssignor("learner")])
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from segue._clients.assignor import PROTOCOL_NAME, PROTOCOL_VERSION, Cluster, ConsumerAssignor
from segue._group import ConfigValue

try:
    from kafka.coordinator.assignors.abstract import AbstractPartitionAssignor
    from kafka.protocol.consumer.metadata import ConsumerProtocolAssignment, ConsumerProtocolSubscription
except ImportError as fault:
    raise ImportError(
        "segue.kafka_python needs kafka-python 3.0 or newer: pip install 'segue[kafka-python]'"
    ) from fault

from segue._kafka_python.consumer import StatefulConsumer

__all__ = ["SegueAssignor", "StatefulConsumer"]


class SegueAssignor(AbstractPartitionAssignor):  # type: ignore[misc]  # kafka-python has no types
    """Assigns partitions by an assignor of libsegue. One for each consumer, which calls it on its own thread.

    Options are Kafka's and segue's, with underscores for dots: `SegueAssignor("learner", segue_max_compute_ms=50)`.
    Raises AssignorError, ConfigError and LibraryError at once; during a rebalance a fault is logged under the name
    "segue" and the owners keep their partitions.
    """

    name = PROTOCOL_NAME
    version = PROTOCOL_VERSION

    def __init__(self, assignor: str = "learner", **config: ConfigValue) -> None:
        self._assignor = ConsumerAssignor(assignor, config)

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
