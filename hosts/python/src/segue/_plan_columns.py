# SPDX-License-Identifier: Apache-2.0
"""A plan as columns of numbers: what segue/plan.h says, in memory that belongs to the answer."""

from __future__ import annotations

import ctypes
import mmap
from dataclasses import dataclass
from typing import Any, Literal

from segue._abi import PLAN_COLUMNS, PLAN_RESULTS, Column, segue_bound, segue_plan
from segue._errors import InternalError
from segue._plan import Report

# As libsegue places them, so that wide loads in a plugin never split a cache line.
_ALIGNMENT = 64
# What a memoryview calls them.
_LETTERS: dict[Any, Literal["I", "q", "B", "H"]] = {
    ctypes.c_uint32: "I",
    ctypes.c_int64: "q",
    ctypes.c_uint8: "B",
    ctypes.c_uint16: "H",
}


@dataclass(frozen=True, slots=True)
class PlanColumns:
    """What each member should hold after a rebalance, as columns over one piece of memory.

    The columns are memoryviews and need no host and no group any more: they live as long as any of them does.
    `numpy.asarray(plan.active)` copies nothing. Handles are row numbers of the group; NONE is 0xFFFFFFFF. The
    figures are those of `Stats`, and what all of them mean in full stands in abi/segue/plan.h.

    active, learner                    for each task the member that owns it, and the one that learns it or NONE
    standby_start, standby_member      for each task its first row in standby_member; the last entry is their number
    decision_task, decision_kind, decision_reason, decision_from, decision_to
                                       a row for each decision, where they were asked for; codes of abi/segue/reason.h
    decision_number                    four numbers for each decision, row by row
    followup_reason                    code of the reason for a later rebalance; followup_at_ms: TIME_NONE for "when a
                                       learner says that it is ready"
    report                             whether it is the assignor's plan or the fallback's
    """

    active: memoryview
    learner: memoryview
    standby_start: memoryview
    standby_member: memoryview
    decision_task: memoryview
    decision_kind: memoryview
    decision_reason: memoryview
    decision_from: memoryview
    decision_to: memoryview
    decision_number: memoryview
    task_count: int
    standby_count: int
    decision_count: int
    followup_needed: int
    followup_reason: int
    followup_at_ms: int
    moves: int
    min_moves: int
    learners: int
    optimal: int
    spread: float
    traffic: int
    min_traffic: int
    imbalance: float
    min_imbalance: float
    extra_moves: int
    held_back: int
    report: Report


class PlanRoom:
    """Memory that holds every plan within a bound. Pages that are not written cost nothing."""

    def __init__(self, task_count: int, bound: segue_bound, *, decisions: bool) -> None:
        self.struct = segue_plan(
            size=ctypes.sizeof(segue_plan),
            task_count=task_count,
            standby_capacity=bound.standby_rows,
            decision_capacity=bound.decision_rows if decisions else 0,
        )
        self._places: dict[str, int] = {}
        size = 0
        for column in PLAN_COLUMNS:
            self._places[column.field] = size
            size += -(-column.rows(self.struct) * ctypes.sizeof(column.type) // _ALIGNMENT) * _ALIGNMENT
        try:
            # Private, so that a child after fork does not share it.
            self._memory = mmap.mmap(-1, max(size, _ALIGNMENT), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        except OSError as fault:
            raise InternalError(f"no memory holds the plan's {size:,} bytes: {fault}", code="no-memory") from fault
        # Keeps the memory from being closed as long as C may write into it.
        self._whole = (ctypes.c_char * len(self._memory)).from_buffer(self._memory)
        for column in PLAN_COLUMNS:
            address = ctypes.addressof(self._whole) + self._places[column.field]
            setattr(self.struct, column.field, ctypes.cast(address, ctypes.POINTER(column.type)))

    def read(self, report: Report) -> PlanColumns:
        """The plan that C wrote."""
        self.struct.standby_capacity = self.struct.standby_count
        self.struct.decision_capacity = self.struct.decision_count
        whole = memoryview(self._memory).toreadonly()
        columns: Any = {column.field: self._column(whole, column) for column in PLAN_COLUMNS}
        return PlanColumns(report=report, **columns, **{name: getattr(self.struct, name) for name in PLAN_RESULTS})

    def _column(self, whole: memoryview, column: Column) -> memoryview:
        start = self._places[column.field]
        return whole[start : start + column.rows(self.struct) * ctypes.sizeof(column.type)].cast(_LETTERS[column.type])
