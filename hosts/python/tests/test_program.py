# SPDX-License-Identifier: Apache-2.0
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any


def run(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "segue", *arguments]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


def test_list_shows_the_assignors() -> None:
    """list prints a line for each assignor."""
    done = run("list")
    assert done.returncode == 0
    assert "learner" in [line.split()[0] for line in done.stdout.splitlines()]


def test_assign_reads_a_file_and_prints_a_plan(tmp_path: Path, group: dict[str, Any]) -> None:
    """assign prints the plan for the group document of a file."""
    file = tmp_path / "group.json"
    file.write_text(json.dumps(group), encoding="utf-8")
    done = run("assign", "--assignor", "learner", str(file))
    assert json.loads(done.stdout)["assignor"] == "learner"
    assert done.stderr == ""


def test_batch_prints_one_plan_a_line(group: dict[str, Any]) -> None:
    """assign --batch answers each line of standard input by one line."""
    done = run("assign", "--assignor", "sticky", "--batch", "-", text=(json.dumps(group) + "\n") * 3)
    assert [json.loads(line)["segue"] for line in done.stdout.splitlines()] == ["plan/1"] * 3


def test_exit_status_says_who_is_at_fault(group: dict[str, Any]) -> None:
    """1: the input, 2: the usage, 3: no such assignor; each with one line on standard error."""
    assert run("assign", "--assignor", "learner", text="{").returncode == 1
    assert run("assign", "--assignor", "learner", "/nowhere/group.json").returncode == 1
    assert run("assign").returncode == 2
    done = run("assign", "--assignor", "lerner", text=json.dumps(group))
    assert done.returncode == 3
    assert done.stderr.count("\n") == 1


def test_a_reader_that_has_gone_is_no_traceback(group: dict[str, Any]) -> None:
    """Output that nobody reads ends the program with status 1 and without a word, as head has its lines."""
    for lines in (1, 300):  # within the buffer, which the end flushes, and beyond it
        reader, writer = os.pipe()
        os.close(reader)
        command = [sys.executable, "-m", "segue", "assign", "--assignor", "learner", "--batch"]
        text = (json.dumps(group) + "\n") * lines
        done = subprocess.run(command, input=text, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
        os.close(writer)
        assert (done.returncode, done.stderr) == (1, "")
