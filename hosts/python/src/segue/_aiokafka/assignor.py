# SPDX-License-Identifier: Apache-2.0
"""What aiokafka calls at a rebalance of stateful consumers, on the application's event loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from segue._aiokafka.mapping import MappedAssignor
from segue._clients.stateful import PROTOCOL_NAME, StatefulAssignor


class Assignor(MappedAssignor):
    """arrived: called before anything of a new assignment can be fetched."""

    name = PROTOCOL_NAME

    def __init__(self, assignor: StatefulAssignor, arrived: Callable[[], None]) -> None:
        super().__init__(assignor)
        self._arrived = arrived

    def on_assignment(self, assignment: Any) -> None:
        super().on_assignment(assignment)
        self._arrived()
