# SPDX-License-Identifier: Apache-2.0
"""python -m segue: the program `segue` for those who have only the package."""

from __future__ import annotations

import argparse
import json
import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import segue

EXIT_INPUT = 1
EXIT_NAME = 3


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="python -m segue", description="Plans of the segue assignors.")
    top.add_argument("--version", action="version", version=f"segue {segue.__version__}")
    verbs = top.add_subparsers(dest="verb", required=True)
    verbs.add_parser("list", help="show the assignors that there are").set_defaults(run=run_list)
    assign = verbs.add_parser("assign", help="print the plan for a group document")
    assign.add_argument("--assignor", required=True, metavar="NAME")
    assign.add_argument("--batch", action="store_true", help="read one group a line and print one plan a line")
    assign.add_argument(
        "file", nargs="?", default="-", metavar="FILE", help="a group document; - or none: standard input"
    )
    assign.set_defaults(run=run_assign)
    return top


def run_list(host: segue.Host, _: argparse.Namespace) -> None:
    for one in host.assignors():
        print(f"{one.name:<20} {one.version:<8} {one.summary} ({one.plugin})")


def run_assign(host: segue.Host, options: argparse.Namespace) -> None:
    for source, group in read_groups(options):
        plan, _ = host.assign_json(options.assignor, group, source=source)
        print(" ".join(plan.splitlines()) if options.batch else readable(json.loads(plan)))


def readable(plan: dict[str, Any]) -> str:
    """The plan with one row on each line."""
    return "{\n" + ",\n".join(f' "{key}": {rows(value)}' for key, value in plan.items()) + "\n}"


def rows(value: Any) -> str:
    if not isinstance(value, list) or not value:
        return json.dumps(value, ensure_ascii=False)
    return "[\n" + ",\n".join(f"  {json.dumps(row, ensure_ascii=False)}" for row in value) + "\n ]"


def read_groups(options: argparse.Namespace) -> list[tuple[str, bytes]]:
    source = "standard input" if options.file == "-" else options.file
    try:
        text = sys.stdin.buffer.read() if options.file == "-" else Path(options.file).read_bytes()
    except OSError as fault:
        raise segue.InputError(f"{source}: {fault.strerror}", code="system") from fault
    if not options.batch:
        return [(source, text)]
    return [(f"line {number}", line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]


def main(arguments: list[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    run: Callable[[segue.Host, argparse.Namespace], None] = options.run
    warnings.simplefilter("always", segue.FallbackWarning)
    warnings.showwarning = lambda message, *_: print(f"segue: warning: {message}", file=sys.stderr)
    try:
        with segue.load() as host:
            run(host, options)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader wants no more. The interpreter flushes once again at its end, which must not fail as well.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_INPUT
    except segue.SegueError as fault:
        print(f"segue: {fault.text}", file=sys.stderr)
        missing = isinstance(fault, (segue.AssignorError, segue.PluginError, segue.LibraryError))
        return EXIT_NAME if missing else EXIT_INPUT
    return 0


if __name__ == "__main__":
    sys.exit(main())
