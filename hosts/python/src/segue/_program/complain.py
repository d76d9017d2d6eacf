# SPDX-License-Identifier: Apache-2.0
"""One line on standard error, and the exit status for a fault."""

from __future__ import annotations

import re
import sys

from segue._errors import AssignorError, LibraryError, PluginError, SegueError

OK, INPUT, USAGE, NO_PLUGIN = range(4)

# Controls, line separators, what turns the direction of text, and bytes that are no UTF-8: they would steer a terminal.
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def complain(text: str) -> None:
    line = f"segue: {clean(text)}\n"
    sys.stderr.buffer.write(line.encode())
    sys.stderr.flush()


def clean(text: str) -> str:
    return _UNSEEN.sub("?", text)


def fault(error: SegueError) -> int:
    """Says it; the exit status for it."""
    complain(error.text)
    return NO_PLUGIN if isinstance(error, (AssignorError, PluginError, LibraryError)) else INPUT
