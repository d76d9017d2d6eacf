# SPDX-License-Identifier: Apache-2.0
"""The records that libsegue fills: what went wrong, and what happened to a plan on its way."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from segue import _abi
from segue._errors import SegueError, error_of
from segue._plan import Report
from segue._texts import text_of

NONE = 0xFFFFFFFF
"""A row or handle that stands for none."""

_TEXT_BYTES = 4096


class ErrorRecord:
    """The record that libsegue fills on a fault, with room for its sentence."""

    def __init__(self) -> None:
        self._room = ctypes.create_string_buffer(_TEXT_BYTES)
        self._record = _abi.segue_error(
            size=ctypes.sizeof(_abi.segue_error),
            row=NONE,
            text=ctypes.cast(self._room, ctypes.c_char_p),
            text_size=_TEXT_BYTES,
        )
        self.reference = ctypes.byref(self._record)

    def read(self, status: int, word: Callable[[int], str]) -> SegueError:
        record = self._record
        return error_of(
            status, text_of(self._room.value), code=word(status), rule=record.rule or None, row=_row(record.row)
        )


class ReportRecord:
    """What happened to a plan, with room for the reason."""

    def __init__(self) -> None:
        self._room = ctypes.create_string_buffer(_TEXT_BYTES)
        self._record = _abi.segue_report(
            size=ctypes.sizeof(_abi.segue_report),
            text=ctypes.cast(self._room, ctypes.c_char_p),
            text_size=_TEXT_BYTES,
        )
        self.reference = ctypes.byref(self._record)

    def read(self, word: Callable[[int], str]) -> Report:
        record = self._record
        return Report(
            fallback=bool(record.fallback),
            status=word(record.status),
            rule=record.rule or None,
            row=_row(record.row),
            text=text_of(self._room.value),
            elapsed_ns=record.elapsed_ns,
            plugin=text_of(record.plugin),
            faults=record.faults,
            aside=bool(record.aside),
        )


def _row(row: int) -> int | None:
    return None if row == NONE else row
