# SPDX-License-Identifier: Apache-2.0
"""A group as columns of numbers: what segue/group.h says, in buffers of the caller's."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass, field
from operator import index
from typing import TYPE_CHECKING, ClassVar

from segue._abi import GROUP_COLUMNS, Column, segue_group
from segue._buffers import Loan, fault
from segue._errors import InputError
from segue._group import ConfigValue
from segue._records import NONE

if TYPE_CHECKING:
    from typing_extensions import Buffer


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupColumns:
    """What the leader knows at a rebalance, as columns: for groups of so many tasks that a document would be slow.

    A column is anything with the buffer protocol (array.array, bytes, memoryview, a numpy array): one contiguous
    dimension, little-endian, of exactly the type named here. Nothing is copied. The columns stay the caller's; while a
    call runs they may be read by others and must not be changed by anybody (arrays refuse to grow meanwhile).

    Tasks, members, processes, racks, strings are named by handles, which are row numbers. Rows come sorted:
    subtopologies that are decimal numbers first, by value, then the others by bytes; tasks by (subtopology, partition);
    members by id as bytes; processes as members name them first; copies by member, then by task. libsegue checks every
    value, and names the column and the row that is at fault. What a column means in full stands in abi/segue/group.h.

    u32 where nothing else is said:

    string_offset, string_bytes (u8)   the texts, as `StringTable` makes them
    subtopology_name                   string of each subtopology
    task_name                          string of each task
    task_subtopology, task_partition   handle of the subtopology, and the number inside it
    task_stateful (u8)                 1: has state to replay; 0: moves at no cost
    member_name                        string of each member
    member_process                     handle: members of one process share a disk
    member_threads                     capacity
    process_name                       string of each process
    copy_start                         first row of each member in the copy columns, and at the end the number of copies
    copy_task, copy_role (u8)          what a member holds: 3 active, 2 learner, 1 standby, 0 dormant state on its disk
    copy_lag (i64)                     records still to replay, UNKNOWN; absent: an active is caught up, others unknown
    task_weight (f64)                  relative processing cost; absent: 1
    task_state_bytes (i64)             size of the state, UNKNOWN; absent: unknown
    task_inputs, task_rack_start, task_rack, task_rack_inputs
                                       how many input partitions; for each task the racks that have some, and how many
    member_rack                        handle, NONE; absent: none
    member_leaving_ms (i64)            since when it leaves, TIME_NONE; absent: all stay
    member_deadline_ms (i64)           when its tasks are forced away, TIME_NONE; absent: never
    member_tag, tag_name               for each tag, dimension by dimension, the members' values, NONE; the tags' names
    rack_name                          string of each rack
    """

    NONE: ClassVar[int] = NONE
    """A handle that stands for none: no rack, no learner."""
    TIME_NONE: ClassVar[int] = -(2**63)
    """A time that is not set: a member that does not leave, or has no deadline."""
    UNKNOWN: ClassVar[int] = -1
    """A lag or a size that nobody knows."""

    string_offset: Buffer
    string_bytes: Buffer
    subtopology_name: Buffer
    task_name: Buffer
    task_subtopology: Buffer
    task_partition: Buffer
    task_stateful: Buffer
    member_name: Buffer
    member_process: Buffer
    member_threads: Buffer
    process_name: Buffer
    copy_start: Buffer
    copy_task: Buffer
    copy_role: Buffer
    copy_lag: Buffer | None = None
    task_weight: Buffer | None = None
    task_state_bytes: Buffer | None = None
    task_inputs: Buffer | None = None
    task_rack_start: Buffer | None = None
    task_rack: Buffer | None = None
    task_rack_inputs: Buffer | None = None
    member_rack: Buffer | None = None
    member_leaving_ms: Buffer | None = None
    member_deadline_ms: Buffer | None = None
    member_tag: Buffer | None = None
    tag_name: Buffer | None = None
    rack_name: Buffer | None = None
    config: Mapping[str, ConfigValue] = field(default_factory=dict)
    now_ms: int = 0


# Which column says how many there are, and how many of its rows are beside the point.
_COUNTED = {
    "string_count": ("string_offset", 1),
    "string_bytes_size": ("string_bytes", 0),
    "subtopology_count": ("subtopology_name", 0),
    "task_count": ("task_name", 0),
    "member_count": ("member_name", 0),
    "process_count": ("process_name", 0),
    "copy_count": ("copy_task", 0),
    "rack_count": ("rack_name", 0),
    "task_rack_count": ("task_rack", 0),
    "tag_count": ("tag_name", 0),
}
_COUNTING = {column for column, _ in _COUNTED.values()}
# How a message says where the number of rows comes from; by name, else by the first word of the name.
_WANTED = {
    "task": "as task_name has",
    "member": "as member_name has",
    "copy": "as copy_task has",
    "string_offset": "it begins with 0 and has one more for each string",
    "task_rack_start": "as task_name has, and one",
    "task_rack_inputs": "as task_rack has",
    "member_tag": "as member_name has, for each row of tag_name",
    "copy_start": "as member_name has, and one",
}


def lend(group: GroupColumns, loan: Loan) -> segue_group:
    """The group as C sees it, while the loan lasts. Raises InputError."""
    struct = segue_group(size=ctypes.sizeof(segue_group), now_ms=_time(group.now_ms))
    rows = {column.field: _lend_column(struct, column, group, loan) for column in GROUP_COLUMNS}
    for count, (name, beside) in _COUNTED.items():
        setattr(struct, count, max((rows[name] or 0) - beside, 0))
    for column in GROUP_COLUMNS:
        given, wanted = rows[column.field], column.rows(struct)
        if given is not None and given != wanted:
            why = _WANTED.get(column.field) or _WANTED[column.field.split("_")[0]]
            raise fault(column, f"{given:,} rows are given, and {wanted:,} wanted: {why}")
    return struct


def _lend_column(struct: segue_group, column: Column, group: GroupColumns, loan: Loan) -> int | None:
    buffer = getattr(group, column.field)
    if buffer is None:
        if column.required:
            raise fault(column, "this column has to be there")
        return None
    address, rows = loan.take(column, buffer)
    if rows > NONE - 1:
        raise fault(column, f"{rows:,} rows are more than 32 bits can number")
    setattr(struct, column.field, _pointer(column, address))
    return rows


def _pointer(column: Column, address: int) -> object:
    """What ctypes wants for the field: a number for texts, a typed pointer else."""
    if column.type is ctypes.c_char:
        return address
    return ctypes.cast(address, ctypes.POINTER(column.type))


def _time(value: int) -> int:
    """ctypes would cut it, silently."""
    try:
        whole = index(value)
    except TypeError:
        whole = 2**63
    if not -(2**63) <= whole < 2**63:
        raise InputError(f"now_ms: milliseconds in 64 bits are wanted, not {value!r}", code="bad-argument")
    return whole
