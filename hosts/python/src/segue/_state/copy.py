# SPDX-License-Identifier: Apache-2.0
"""A copy of one partition's state, and what has to be asked about such copies."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass


class Copy:
    """The state of one partition on this member.

    position: next offset of the changelog to read. end: where the changelog ended when that was last heard.
    fence: while opening, the end of the changelog that has to be reached; None while it is not known.
    """

    __slots__ = ("busy", "checked", "end", "fault", "fence", "position")

    def __init__(self, position: int) -> None:
        self.position = position
        self.end: int | None = None
        self.fence: int | None = None
        self.checked = False
        self.busy = False
        self.fault: BaseException | None = None

    @property
    def lag(self) -> int | None:
        return None if self.end is None else max(0, self.end - self.position)


@dataclass(frozen=True, slots=True)
class Questions:
    """Partitions of the changelog whose end, and whose beginning, is to be asked for. Truthy where there are any."""

    epoch: int
    ends: frozenset[int]
    beginnings: frozenset[int]

    def __bool__(self) -> bool:
        return bool(self.ends or self.beginnings)

    def among(self, there: Container[int]) -> Questions:
        """Those about partitions that are there."""
        return Questions(
            self.epoch,
            frozenset(one for one in self.ends if one in there),
            frozenset(one for one in self.beginnings if one in there),
        )
