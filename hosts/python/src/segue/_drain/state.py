# SPDX-License-Identifier: Apache-2.0
"""How far a member is with leaving, and how its drain ended."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from segue._drain.mark import Mark


class Phase(str, Enum):
    """What a member is at."""

    RUNNING = "running"
    """Not marked."""
    DRAINING = "draining"
    """Marked, and others take over what it has."""
    EMPTY = "empty"
    """Marked and without tasks; it stays because it was told to."""
    STOPPING = "stopping"
    """Closing, or closed."""


class DrainResult(str, Enum):
    """How a drain ended."""

    EMPTIED = "emptied"
    """All was handed over in time. The member has left the group, unless it was told to stay."""
    TIMED_OUT = "timed-out"
    """The deadline passed first and what was left was forced away, or nobody took it."""
    CANCELLED = "cancelled"
    """The mark was taken back, here or by somebody else."""
    INTERRUPTED = "interrupted"
    """The consumer was closed, or failed, before it was empty."""


@dataclass(frozen=True, slots=True)
class DrainState:
    """since_ms: when it was marked, None when it is not. deadline_ms: when its tasks are forced away, if ever."""

    phase: Phase = Phase.RUNNING
    since_ms: int | None = None
    deadline_ms: int | None = None
    tasks_left: int = 0

    @classmethod
    def of(cls, phase: Phase, mark: Mark | None, tasks_left: int) -> DrainState:
        if mark is None:
            return cls(phase, tasks_left=tasks_left)
        return cls(phase, mark.since_ms, mark.deadline_ms, tasks_left)

    @property
    def ready_to_stop(self) -> bool:
        """Whether the process can be ended without anybody's waiting for its tasks."""
        return self.phase is Phase.EMPTY or (self.phase is Phase.STOPPING and self.tasks_left == 0)
