# SPDX-License-Identifier: Apache-2.0
"""The commands that only the native program has: it is run in our place where it is on the path."""

from __future__ import annotations

import os
from collections.abc import Sequence

from segue._program.complain import USAGE, complain

NAMES = ("bench", "simulate", "compare", "drain", "swap", "status")


def run(name: str, arguments: Sequence[str]) -> int:
    program = _find()
    if program is None:
        complain(f"{name} is a command of the native program segue alone, and none is on the path")
        return USAGE
    os.execv(program, ["segue", name, *arguments])


def _find() -> str | None:
    """The first segue on the path that is no script such as this one's own."""
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        file = os.path.join(folder, "segue")
        if os.access(file, os.X_OK) and os.path.isfile(file) and _is_native(file):
            return file
    return None


def _is_native(file: str) -> bool:
    try:
        with open(file, "rb") as opened:
            return opened.read(4) == b"\x7fELF"
    except OSError:
        return False
