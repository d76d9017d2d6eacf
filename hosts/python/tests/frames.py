# SPDX-License-Identifier: Apache-2.0
"""Frames of a record as tests read them: names and numbers, by libsegue's own decoder."""

from __future__ import annotations

import ctypes
import struct
from dataclasses import dataclass

from segue import _abi
from segue._library import find_library

# segue/record.h: magic, version, size of the head, time, nanoseconds, status, rule, fallback, sizes of what follows.
_HEAD = struct.Struct("<8sIIqQiIIIQQ")


@dataclass(frozen=True)
class Frame:
    """members: by name, each with its process. held: tasks by member, before the plan; lags: of copies, by member.

    timeless: the frame without the times in its head.
    """

    assignor: str
    members: dict[str, str]
    tasks: list[str]
    held: dict[str, list[str]]
    sizes: dict[str, int]
    timeless: bytes


def frames_of(record: bytes) -> list[Frame]:
    found = []
    while record:
        head = _HEAD.unpack_from(record)
        assert head[:3] == (b"SEGUEREC", 1, _HEAD.size)
        name = -(-head[8] // 8) * 8
        group = record[_HEAD.size + name : _HEAD.size + name + head[9]]
        size = _HEAD.size + name + head[9] + head[10]
        assert len(record) >= size
        assignor = record[_HEAD.size : _HEAD.size + head[8]].decode()
        found.append(_frame(assignor, group, record[:16] + record[32:size]))
        record = record[size:]
    return found


def _frame(assignor: str, message: bytes, timeless: bytes) -> Frame:
    group = _abi.segue_group(size=ctypes.sizeof(_abi.segue_group))
    config = _abi.segue_config(size=ctypes.sizeof(_abi.segue_config))
    # What it points to lies in the buffer, and starts at a multiple of 8.
    buffer = (ctypes.c_uint64 * (len(message) // 8)).from_buffer_copy(message)
    api = find_library().api
    assert api.segue_wire_decode_group(
        ctypes.addressof(buffer), len(message), ctypes.byref(group), ctypes.byref(config), None
    ) == 0  # fmt: skip
    texts = ctypes.string_at(group.string_bytes, group.string_bytes_size)

    def text(row: int) -> str:
        return texts[group.string_offset[row] : group.string_offset[row + 1]].decode()

    tasks = [text(group.task_name[row]) for row in range(group.task_count)]
    members = [text(group.member_name[row]) for row in range(group.member_count)]
    processes = [text(group.process_name[group.member_process[row]]) for row in range(group.member_count)]
    return Frame(
        assignor,
        dict(zip(members, processes, strict=True)),
        tasks,
        {
            name: [tasks[group.copy_task[copy]] for copy in range(group.copy_start[row], group.copy_start[row + 1])]
            for row, name in enumerate(members)
        },
        {tasks[row]: group.task_state_bytes[row] for row in range(group.task_count) if group.task_state_bytes},
        timeless,
    )
