# SPDX-License-Identifier: Apache-2.0
"""Commands that only the native program has: it is run in our place where it is on the path."""

from __future__ import annotations

import os
from collections.abc import Sequence


def run(arguments: Sequence[str]) -> None:
    """Does not return when there is a native program."""
    if program := _find():
        os.execv(program, ["segue", *arguments])


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
