# SPDX-License-Identifier: Apache-2.0
"""The texts of a group as two columns."""

from __future__ import annotations

from array import array
from collections.abc import Iterable

from segue._errors import InputError


class StringTable:
    """Texts by handle, each kept once: the columns string_offset and string_bytes of `GroupColumns`.

    names = StringTable()
    GroupColumns(task_name=names.handles(["0_0", "0_1"]), …, string_offset=names.offset, string_bytes=names.bytes)

    Columns are whole only once all texts are in. Not for several threads at once.
    """

    def __init__(self) -> None:
        self._handles: dict[str, int] = {}
        self.offset = array("I", [0])
        self.bytes = bytearray()

    def handle(self, text: str) -> int:
        """The number of a text, which is added when it is new."""
        handle = self._handles.get(text)
        if handle is None:
            handle = self._handles[text] = len(self._handles)
            try:
                self.bytes += text.encode()
            except UnicodeEncodeError as fault:
                raise InputError(f"a text has no UTF-8: {text!a}", code="bad-argument") from fault
            self.offset.append(len(self.bytes))
        return handle

    def handles(self, texts: Iterable[str]) -> array[int]:
        """A column of names."""
        return array("I", map(self.handle, texts))
