# SPDX-License-Identifier: Apache-2.0
"""A rebalance that this member computed as the group's leader."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

_LONGEST_FAULT = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Led:
    """assignor: who was asked; plugin: which plugin has it, empty where nothing native could be asked.

    fault: why the plan is not the assignor's own, None when it is. moves: tasks that change their owner now;
    min_moves: the least that balance takes; learners: copies in flight. followup: why another rebalance is needed, and
    followup_ms: when it is due at the latest.
    """

    at_ms: int
    assignor: str
    plugin: str = ""
    plugin_version: str = ""
    fault: str | None = None
    tasks: int = 0
    members: int = 0
    moves: int = 0
    min_moves: int = 0
    learners: int = 0
    followup_ms: int | None = None
    followup: str | None = None

    def fields(self) -> dict[str, Any]:
        """By the names that the presence has; what does not apply is left out."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        if self.fault is not None:
            fields["fault"] = self.fault[:_LONGEST_FAULT]
        return {name: value for name, value in fields.items() if value is not None}
