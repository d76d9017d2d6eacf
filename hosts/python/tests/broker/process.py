# SPDX-License-Identifier: Apache-2.0
"""A program of the tests that runs as a process of its own and says in lines of JSON what happens there."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

HERE = Path(__file__).resolve().parent
# Longer than any sound run needs on a machine that has ten times as much to do.
PATIENCE_S = 300

Result = TypeVar("Result")


class Process:
    """One process, until its standard input is closed. `hear` is called with what it says, on a thread."""

    def __init__(self, script: str, *arguments: str, flags: tuple[str, ...] = ()) -> None:
        self.log = tempfile.TemporaryFile("w+")  # noqa: SIM115  # the process writes it; the fleet closes it
        self.process = subprocess.Popen(
            [sys.executable, "-B", *flags, str(HERE / script), *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True,
        )  # fmt: skip
        self._reader = threading.Thread(target=self._listen, daemon=True)
        self._reader.start()

    def hear(self, said: dict[str, Any]) -> None:
        """One line that it printed."""
        raise NotImplementedError

    def tell(self, **command: Any) -> None:
        """One line to its standard input."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()

    def leave(self) -> int:
        """Closes the consumer as an application does, and returns the exit status. One that hangs is killed."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.end()

    def kill(self) -> None:
        """Ends it as a machine does that fails."""
        self.process.kill()
        self.end()

    def end(self, patience_s: float = PATIENCE_S) -> int:
        """Waits until it has ended by itself; its exit status."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            status = self.process.wait(patience_s)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        self._reader.join()
        self.process.stdout.close()
        self.process.stdin.close()
        return status

    def said(self) -> str:
        """What it logged."""
        self.log.seek(0)
        return self.log.read()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.hear(json.loads(line))


def wait_for(condition: Callable[[], Result | None], described: Callable[[], Any] = lambda: "") -> Result:
    """What the condition gives once that is something."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if found := condition():
            return found
        time.sleep(0.02)
    raise AssertionError(f"not met in time; {described()}")
