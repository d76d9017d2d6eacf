# SPDX-License-Identifier: Apache-2.0
"""A strategy in Python as a program that segue-bridge asks: python -m segue.bridge MODULE:OBJECT

Any host (the program, the JVM, C) then has it as an assignor: see hosts/MANAGED.md. A line comes in for each plan, the
group document, and a line goes out, the plan document or {"segue": "fault/1", "text": ...}. What the strategy prints
goes to standard error.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import traceback
from collections.abc import Callable, Iterable
from typing import Any, BinaryIO

from segue._group import Group
from segue._strategy import Answer, answer

_FAULT = "fault/1"


def find(place: str) -> Callable[[Group], Answer]:
    """The strategy at MODULE:OBJECT; a class is made into an object. Raises what the import raises, and LookupError."""
    module, _, names = place.partition(":")
    found: Any = importlib.import_module(module)
    for name in names.split(".") if names else ():
        found = getattr(found, name)
    strategy = found() if isinstance(found, type) else found
    assign = getattr(strategy, "assign", strategy)
    if not callable(assign):
        raise LookupError(f"{place} is neither a function of a group nor an object with assign(group)")
    result: Callable[[Group], Answer] = assign
    return result


def serve(assign: Callable[[Group], Answer], lines: Iterable[bytes], out: BinaryIO) -> None:
    """A plan for each line, until there are no more."""
    for line in lines:
        try:
            said = answer(assign, json.loads(line))
            text = json.dumps(said, allow_nan=False)
        except Exception as fault:
            traceback.print_exc()
            text = json.dumps({"segue": _FAULT, "text": f"{type(fault).__name__}: {fault}"})
        out.write(text.encode() + b"\n")
        out.flush()


def main(arguments: list[str] | None = None) -> int:
    """The exit status: 0 when the host has nothing more to ask, 2 for wrong usage, 1 for what cannot be imported."""
    given = sys.argv[1:] if arguments is None else arguments
    if len(given) != 1 or ":" not in given[0]:
        print("usage: python -m segue.bridge MODULE:OBJECT", file=sys.stderr)
        return 2
    sys.path.insert(0, os.getcwd())
    with os.fdopen(os.dup(1), "wb") as out:
        os.dup2(2, 1)
        try:
            assign = find(given[0])
        except Exception:
            traceback.print_exc()
            return 1
        serve(assign, sys.stdin.buffer, out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
