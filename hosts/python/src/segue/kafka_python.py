# SPDX-License-Identifier: Apache-2.0
"""The assignor for consumers of kafka-python, and a consumer with state.

from kafka import KafkaConsumer
from segue.kafka_python import SegueAssignor, attach

consumer = KafkaConsumer(..., partition_assignment_strategy=[SegueAssignor("scale-down")])
instance = attach(consumer)  # for drains and swaps
"""

from __future__ import annotations

from typing import Any

from segue._clients.assignor import PROTOCOL_NAME, ConsumerAssignor, assignor_of
from segue._drain import instance as instances
from segue._drain.instance import Instance
from segue._group import ConfigValue

try:
    from kafka.coordinator.assignors.abstract import AbstractPartitionAssignor, RebalanceProtocol
except ImportError as fault:
    raise ImportError(
        "segue.kafka_python needs kafka-python 3.0 or newer: pip install 'kafka-python>=3.0.12'"
    ) from fault

from segue._kafka_python.beside import Beside
from segue._kafka_python.consumer import StatefulConsumer
from segue._kafka_python.mapping import MappedAssignor

__all__ = ["Instance", "SegueAssignor", "StatefulConsumer", "attach"]


class SegueAssignor(MappedAssignor):
    """Assigns partitions by an assignor of libsegue. One for each consumer, which calls it on its own thread.

    Without a name SEGUE_ASSIGNOR in the environment counts, else it is learner.
    Options are Kafka's and segue's, with underscores for dots: `SegueAssignor("learner", segue_max_compute_ms=50)`.
    Raises AssignorError, ConfigError and LibraryError at once; during a rebalance a fault is logged under the name
    "segue" and the owners keep their partitions. A second consumer with the same one fails with an InputError when it
    joins.

    cooperative: the consumer keeps its partitions while it joins, and its listener hears of those alone that come and
    go. Members with and without it may share a group. A consumer's other strategies have to be cooperative as well.
    """

    name = PROTOCOL_NAME
    _assignor: ConsumerAssignor

    def __init__(self, assignor: str | None = None, *, cooperative: bool = False, **config: ConfigValue) -> None:
        super().__init__(ConsumerAssignor(assignor, config, cooperative=cooperative))
        self._beside: list[AbstractPartitionAssignor] = []

    def supported_protocols(self) -> list[RebalanceProtocol]:
        return [RebalanceProtocol.COOPERATIVE if self._assignor.cooperative else RebalanceProtocol.EAGER]

    def beside(self, old: AbstractPartitionAssignor) -> AbstractPartitionAssignor:
        """The assignor that a group has now, to roll over from it: `[new, new.beside(CooperativeStickyAssignor())]`.

        Both hear what the consumer gets, so that neither gives away what a member is still at when the group changes
        from one to the other.
        """
        self._beside.append(old)
        return Beside(old, self._assignor)

    def on_assignment(self, assignment: Any, generation: int) -> None:
        super().on_assignment(assignment, generation)
        for old in self._beside:
            old.on_assignment(assignment, generation)


def attach(consumer: Any) -> Instance:
    """Lets a KafkaConsumer be drained and swapped, and gives the handle for that. To be called once, before it is
    polled.

    The consumer's SegueAssignor has the settings: `segue_http_port`, `segue_marks_poll_ms`, `scale_down_timeout_ms` and
    so on. From now on the member has an id and tells of itself in Kafka; a thread looks after it, with an admin client
    of the consumer's own settings. Its `poll` and `close` are replaced on the object, so that an empty member can be
    closed on the thread that polls it. Ends by itself when the consumer is closed. Raises InputError.
    """
    from segue._drain import kafka_python as client

    own = assignor_of(consumer.config["partition_assignment_strategy"])
    seat = client.PlainSeat(consumer, own.member, lambda: own.active)
    return instances.attach(consumer, consumer.config["group_id"], seat, own)
