# SPDX-License-Identifier: Apache-2.0
"""python -m segue assign: a group document in, a plan document out."""

from __future__ import annotations

import errno
import json
import sys
from collections.abc import Iterator
from typing import BinaryIO

from segue._errors import SegueError
from segue._host import Host
from segue._program.complain import INPUT, NO_PLUGIN, OK, USAGE, complain, fault
from segue._program.opened import opened
from segue._program.options import Command, Given, Option, Refused
from segue._program.plan import plan_text

# As the native program: what never ends (a device, a pipe) must not take all memory first.
_TOO_LONG = 2**31 - 1
_PIECE = 2**20


def run(given: Given) -> int:
    assignor = given.values.get("--assignor")
    if assignor is None:
        complain("assign: --assignor NAME is needed (segue list shows all)")
        return USAGE
    with opened(given) as host:
        return (_lines if "--batch" in given.values else _file)(host, assignor, given)


def _file(host: Host, assignor: str, given: Given) -> int:
    try:
        with _input(given) as file:
            text = _whole(file)
    except OSError as error:
        return _unread(given, error)
    _print(host, assignor, text, _source(given), compact="--compact" in given.values)
    return OK


def _whole(file: BinaryIO) -> bytes:
    pieces: list[bytes] = []
    while piece := file.read(_PIECE):
        pieces.append(piece)
        _limit(len(pieces) * _PIECE)
    return b"".join(pieces)


def _limit(size: int) -> None:
    if size >= _TOO_LONG:
        raise OSError(errno.EFBIG, "2 GiB are read and it goes on; what can be read is shorter")


def _lines(host: Host, assignor: str, given: Given) -> int:
    """Answers each line before it reads the next."""
    status = OK
    for number, text in enumerate(_read(given), 1):
        status = max(status, _line(host, assignor, text, f"{_source(given)} line {number}", number))
        if status == NO_PLUGIN:
            break
    return status


def _read(given: Given) -> Iterator[bytes]:
    try:
        with _input(given) as file:
            while line := file.readline(_TOO_LONG):
                _limit(len(line))
                yield line.removesuffix(b"\n")
    except OSError as error:
        raise Refused(_unread(given, error)) from error


def _unread(given: Given, error: OSError) -> int:
    complain(f"{_source(given)}: {error.strerror}")
    return INPUT


def _line(host: Host, assignor: str, text: bytes, source: str, number: int) -> int:
    try:
        _print(host, assignor, text, source, compact=True)
        return OK
    except SegueError as error:
        status = fault(error)
        if status != NO_PLUGIN:
            row = {"segue": "error/1", "line": number, "error": error.text}
            _write(json.dumps(row, ensure_ascii=False).encode())
        return status


def _print(host: Host, assignor: str, text: bytes, source: str, *, compact: bool) -> None:
    plan, report = plan_text(host, assignor, text, source, compact=compact)
    if report.fallback:
        complain(f"warning: {source}: the fallback answered instead of {assignor}: {report.text}")
    _write(plan)


def _write(line: bytes) -> None:
    sys.stdout.buffer.write(line + b"\n")
    sys.stdout.buffer.flush()


def _source(given: Given) -> str:
    return "standard input" if given.operands in ([], ["-"]) else given.operands[0]


def _input(given: Given) -> BinaryIO:
    if given.operands in ([], ["-"]):
        return open(0, "rb", closefd=False)
    return open(given.operands[0], "rb")


COMMAND = Command(
    "assign",
    "--assignor NAME [--plugin PATH] [--isolation HOW] [--compact] [--batch] [FILE|-]",
    "print the plan for a group: what each member should hold after a rebalance",
    (
        Option("--assignor", "NAME", "who decides: learner, sticky, ... (segue list shows all)"),
        Option("--plugin", "PATH", "load this plugin: a path, or a name on the search path"),
        Option("--isolation", "HOW", "keep plugins away from this process: none, thread or process"),
        Option("--compact", None, "print the plan on one line"),
        Option(
            "--batch",
            None,
            "one group a line in, one line out for each: its plan, or\n"
            f'{"":25}{{"segue": "error/1", "line": N, "error": TEXT}}; goes on behind a\n'
            f"{'':25}line at fault, and then ends with status 1",
        ),
    ),
    1,
    run,
)
