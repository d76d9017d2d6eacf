# SPDX-License-Identifier: Apache-2.0
"""The program under test, started as a shell would start it. A test file ends with main(), which takes its path."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import unittest

# What a developer may have in the environment, and the program would heed.
UNWANTED = ("SEGUE_HTTP_TOKEN", "SEGUE_RECORD_PATH")

_path = pathlib.Path()


def segue() -> pathlib.Path:
    return _path


def run(*arguments: object, text: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """The finished process; `text` was its standard input."""
    inherited = {name: value for name, value in os.environ.items() if name not in UNWANTED}
    return subprocess.run(
        [_path, *map(str, arguments)],
        input=text,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**inherited, **environment},
    )


def main() -> None:
    global _path
    _path = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
