# SPDX-License-Identifier: Apache-2.0
"""A program that is an assignor of hosts in other languages and processes."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable

from segue._group import Group
from segue._host import load
from segue._strategy import Answer, Strategy


def serve(
    name: str,
    strategy: Strategy | Callable[[Group], Answer],
    *,
    version: str = "",
    summary: str = "",
    cold: bool = False,
    knows_leaving: bool = False,
    loose: bool = False,
) -> None:
    """This program as the assignor `name` of any host: the program segue, the JVM, Python, C.

    The program is a file called NAME.assignor that may be executed and lies on the host's plugin path. The host starts
    it, asks it, kills it when it is late, and judges its plans, as `Host.register` has it. Returns when there is
    nothing more to ask, and the program has five seconds to end then. What the strategy prints goes to the host's
    standard error, line by line. Raises InputError where no host has started this program, and SegueError where that
    has another version of libsegue.
    """
    # The host ends this program by a signal, which would take along what print has kept back.
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)
    with load() as host:
        host.register(
            name, strategy, version=version, summary=summary, cold=cold, knows_leaving=knows_leaving, loose=loose
        )
        host._serve(name)
