# SPDX-License-Identifier: Apache-2.0
"""A strategy in Python as a program that answers groups with plans, line by line."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from typing import Any

import pytest
from test_strategy import Keeper

from segue import Group, MemberPlan, bridge


def test_a_program_answers_lines_with_lines(group: dict[str, Any]) -> None:
    """python -m segue.bridge takes groups from standard input, and its plans are free of what the strategy prints."""
    lines = json.dumps(group).encode() + b"\n"
    done = subprocess.run(
        [sys.executable, "-m", "segue.bridge", "test_bridge:Printing"],
        input=lines * 2,
        capture_output=True,
        check=True,
        cwd=os.path.dirname(__file__),
    )
    plans = [json.loads(line) for line in done.stdout.splitlines()]
    assert [plan["members"][2]["learner"] for plan in plans] == [["0_0"], ["0_0"]]
    assert done.stderr == b"asked\nasked\n"


class Printing(Keeper):
    def assign(self, group: Group) -> list[MemberPlan]:
        print("asked", flush=True)
        return super().assign(group)


def test_what_the_strategy_raises_goes_out_as_a_line(group: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    """A fault is a document of its own, with the trace on standard error."""
    out = io.BytesIO()
    bridge.serve(lambda _: [1 / 0], [json.dumps(group).encode(), b"no document"], out)  # type: ignore[list-item]
    said = [json.loads(line) for line in out.getvalue().splitlines()]
    assert said[0] == {"segue": "fault/1", "text": "ZeroDivisionError: division by zero"}
    assert said[1]["text"].startswith("JSONDecodeError: ")
    assert "1 / 0" in capsys.readouterr().err


def test_what_cannot_be_found_ends_the_program_in_words() -> None:
    """A wrong place is told on standard error, with an exit status."""
    for place, status, said in [
        ("nothing", 2, "usage: "),
        ("json:nothing", 1, "has no attribute 'nothing'"),
        ("json:__name__", 1, "json:__name__ is neither a function"),
        ("no_such_module:x", 1, "No module named"),
    ]:
        done = subprocess.run(
            [sys.executable, "-m", "segue.bridge", place], capture_output=True, text=True, check=False
        )
        assert done.returncode == status
        assert said in done.stderr
        assert done.stdout == ""
