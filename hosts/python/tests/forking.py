# SPDX-License-Identifier: Apache-2.0
"""Children that a test forks, also amid threads."""

from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

# A child that hangs is killed, and then its status says so.
PATIENCE = 60

Test = TypeVar("Test", bound=Callable[..., object])


def in_a_child(work: Callable[[], object]) -> int:
    """Runs it in a forked child; the exit status, 0 when it came through."""
    pid = os.fork()
    if pid == 0:
        signal.alarm(PATIENCE)
        try:
            work()
            os._exit(0)
        except BaseException:
            traceback.print_exc()
        os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def malloc_survives_forks() -> bool:
    """Whether a child can allocate that was forked while another thread did, or came to its end.

    The C library's allocator sees to that itself. Address sanitizer's takes its place, and that of gcc 12 does nothing
    about forks: once in a thousand times the child waits for ever for one of its locks, be it for a Python list, and
    be it that a thread was joined just before. Those that do something import the function by which that is registered.
    """
    preloaded = map(Path, os.environ.get("LD_PRELOAD", "").split(":"))
    return all(b"register_atfork" in one.read_bytes() for one in preloaded if one.name.startswith("libasan"))


def forks(test: Test) -> Test:
    """A test that forks. Python 3.12 warns of every fork amid threads; that it goes well is what these tests show."""
    quiet: Test = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")(test)
    lost = "this address sanitizer's own locks do not survive a fork"
    marked: Test = pytest.mark.skipif(not malloc_survives_forks(), reason=lost)(quiet)
    return marked
