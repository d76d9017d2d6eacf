# SPDX-License-Identifier: Apache-2.0
"""Another assignor of a consumer that has segue's as well: kafka-python tells an assignment only to the one that the
group has chosen, and a cooperative member has to know what it holds under either.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kafka.coordinator.assignors.abstract import AbstractPartitionAssignor, RebalanceProtocol

from segue._clients.assignor import ConsumerAssignor


class Beside(AbstractPartitionAssignor):  # type: ignore[misc]  # kafka-python has no types
    """As the old one, and tells the own one what the consumer gets."""

    def __init__(self, old: AbstractPartitionAssignor, own: ConsumerAssignor) -> None:
        self._old, self._own = old, own

    @property
    def name(self) -> str:
        return str(self._old.name)

    @property
    def version(self) -> int:
        return int(self._old.version)

    def supported_protocols(self) -> list[RebalanceProtocol]:
        return list(self._old.supported_protocols())

    def metadata(self, topics: Iterable[str]) -> Any:
        return self._old.metadata(topics)

    def assign(self, cluster: Any, members: Iterable[Any]) -> Any:
        return self._old.assign(cluster, members)

    def on_assignment(self, assignment: Any, generation: int) -> None:
        self._old.on_assignment(assignment, generation)
        self._own.on_assignment(assignment.partitions(), None)
