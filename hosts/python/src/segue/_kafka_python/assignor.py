# SPDX-License-Identifier: Apache-2.0
"""What kafka-python calls at a rebalance of stateful consumers, on its IO thread."""

from __future__ import annotations

from segue._clients.stateful import PROTOCOL_NAME
from segue._kafka_python.mapping import MappedAssignor


class Assignor(MappedAssignor):
    name = PROTOCOL_NAME
