# SPDX-License-Identifier: Apache-2.0
"""The assignor for consumers of aiokafka, and a consumer with state.

from aiokafka import AIOKafkaConsumer
from segue.aiokafka import SegueAssignor, attach

consumer = AIOKafkaConsumer(..., partition_assignment_strategy=[SegueAssignor("scale-down")])
instance = attach(consumer)  # for drains and swaps
await consumer.start()
"""

from __future__ import annotations

from typing import Any

from segue._clients.assignor import PROTOCOL_NAME, ConsumerAssignor, assignor_of
from segue._drain import instance as instances
from segue._drain.instance import Instance
from segue._errors import InputError
from segue._group import ConfigValue

try:
    from segue._aiokafka.mapping import MappedAssignor
except ImportError as fault:
    raise ImportError("segue.aiokafka needs aiokafka 0.14 or newer: pip install 'aiokafka>=0.14'") from fault

from segue._aiokafka.consumer import StatefulConsumer

__all__ = ["Instance", "SegueAssignor", "StatefulConsumer", "attach"]

_EAGER_ALONE = (
    "cooperative: aiokafka cannot rebalance cooperatively, it takes all partitions from a consumer before each join; "
    "leave it out, or use segue.kafka_python"
)


class SegueAssignor(MappedAssignor):
    """Assigns partitions by an assignor of libsegue. One for each consumer, which calls it on its event loop.

    Without a name SEGUE_ASSIGNOR in the environment counts, else it is learner.
    Options are Kafka's and segue's, with underscores for dots: `SegueAssignor("learner", segue_max_compute_ms=50)`.
    Raises AssignorError, ConfigError and LibraryError at once; during a rebalance a fault is logged under the name
    "segue" and the owners keep their partitions. A second consumer with the same one fails with an InputError when it
    joins.

    There is no cooperative one: aiokafka 0.14 takes a consumer's partitions from it at the start of every rebalance,
    whatever the assignor says. Cooperative members of kafka-python may be in the group.
    """

    name = PROTOCOL_NAME
    _assignor: ConsumerAssignor

    def __init__(self, assignor: str | None = None, *, cooperative: bool = False, **config: ConfigValue) -> None:
        if cooperative:
            raise InputError(_EAGER_ALONE, code="bad-argument")
        super().__init__(ConsumerAssignor(assignor, config))


def attach(consumer: Any) -> Instance:
    """Lets an AIOKafkaConsumer be drained and swapped, and gives the handle for that. To be called once, before its
    start.

    The consumer's SegueAssignor has the settings: `segue_http_port`, `segue_marks_poll_ms`, `scale_down_timeout_ms` and
    so on. From now on the member has an id and tells of itself in Kafka; a thread looks after it, and another has a
    client of the consumer's own settings on an event loop of its own, where a `sasl_oauth_token_provider` is called as
    well. The member that leads reads marks there in the midst of a rebalance, and blocks the consumer's loop for that:
    for some milliseconds as a rule, for segue.marks.timeout.ms at the most. Ends by itself when the consumer is
    stopped. Raises InputError.
    """
    from segue._drain import aiokafka as client

    own = assignor_of(consumer._partition_assignment_strategy)
    seat = client.PlainSeat(consumer, own.member, lambda: own.active)
    return instances.attach(consumer, consumer._group_id, seat, own)
