# SPDX-License-Identifier: Apache-2.0
"""python -m segue, and the script `segue`: the program for those who have only the package.

`list` and `assign` are the native program's, with its options, words and exit statuses. Its other commands run it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TextIO

import segue
from segue._abi import ABI_VERSION
from segue._program import assign, elsewhere, listing
from segue._program.complain import INPUT, OK, USAGE, complain, fault
from segue._program.options import Refused, nearest, parse, print_help

COMMANDS = {command.name: command for command in (assign.COMMAND, listing.COMMAND)}


def print_all(out: TextIO) -> None:
    print("segue decides which member of a group holds which task, and moves state without an outage.\n", file=out)
    for command in COMMANDS.values():
        print(f"  segue {command.name} {command.usage}\n      {command.summary}", file=out)
    print("  segue --version\n  segue COMMAND --help\n", file=out)
    print("Exit status: 0 done, 1 the input is at fault or output failed, 2 wrong usage,", file=out)
    print("3 no such plugin or assignor.", file=out)
    print("Every other command (bench, drain, ...) runs the native program segue, if it is on the path.", file=out)


def refuse(word: str) -> int:
    if meant := nearest(word, ["--help", "--version", *COMMANDS]):
        complain(f"{word} is no command; the nearest is {meant} (segue --help shows all)")
    else:
        complain(f"{word} is no command of the Python package, and no native program segue is on the path")
    return USAGE


def run_command(word: str, arguments: Sequence[str]) -> int:
    if word in COMMANDS:
        return COMMANDS[word].run(parse(COMMANDS[word], arguments))
    elsewhere.run([word, *arguments])
    return refuse(word)


def run(arguments: Sequence[str]) -> int:
    if not arguments:
        print_all(sys.stderr)
        return USAGE
    word, *more = arguments
    if word in ("--help", "-h", "help"):
        if more and more[0] in COMMANDS:
            print_help(COMMANDS[more[0]])
        elif more:
            return run_command(more[0], ["--help"])
        else:
            print_all(sys.stdout)
        return OK
    if word == "--version":
        print(f"segue {segue.__version__} (plugin interface {ABI_VERSION})")
        return OK
    return run_command(word, more)


def main(arguments: Sequence[str] | None = None) -> int:
    try:
        status = run(sys.argv[1:] if arguments is None else arguments)
        sys.stdout.flush()
        return status
    except Refused as refused:
        return refused.status
    except segue.SegueError as error:
        return fault(error)
    except BrokenPipeError:
        # The reader wants no more, which is no fault to speak of.
        return give_up_output()
    except OSError as error:
        complain(f"standard output: {error.strerror}")
        return give_up_output()


def give_up_output() -> int:
    """The interpreter flushes once again at its end, which must not fail as well."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return INPUT


if __name__ == "__main__":
    sys.exit(main())
