# SPDX-License-Identifier: Apache-2.0
"""A strategy in Python as a program that other hosts start and ask."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import segue

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"

PROGRAM = """#!{python} -B
import os, sys, time
sys.path.insert(0, {source!r})
os.environ.update({environment!r})
import segue

host = segue.load()

def strategy(group):
    print("asked")
    {line}
    return host.assign("learner", group)

segue.serve({name!r}, strategy, version="1.2", summary="of a test", knows_leaving=True)
print("nothing more to ask", flush=True)
"""


def program(folder: Path, name: str, line: str = "pass", serves: str = "") -> Path:
    """An assignor of that name, which does `line` whenever it is asked."""
    source = str(Path(segue.__file__).resolve().parents[1])
    environment = {key: os.environ[key] for key in ["SEGUE_LIBRARY"] if key in os.environ}
    path = folder / f"{name}.assignor"
    path.write_text(
        PROGRAM.format(python=sys.executable, source=source, environment=environment, name=serves or name, line=line),
        encoding="utf-8",
    )
    path.chmod(0o700)
    return path


@pytest.mark.parametrize("isolation", ["none", "thread", "process"])
def test_a_program_is_asked_whatever_the_isolation(tmp_path: Path, group: dict[str, Any], isolation: str) -> None:
    """One process answers all calls, with the strategy's plan, and says what it is."""
    with segue.load() as host:
        expected = host.assign("learner", group).members
    with segue.load(plugins=[program(tmp_path, "served")], only_plugins=True, isolation=isolation) as host:
        plans = [host.assign("served", group) for _ in range(5)]
        assert all(plan.members == expected for plan in plans)
        assert not any(plan.report.fallback for plan in plans)
        said = next(one for one in host.assignors() if one.name == "served")
        assert (said.version, said.summary, said.knows_leaving, said.cold) == ("1.2", "of a test", True, False)
        assert host.metrics().started == 1


@pytest.mark.parametrize(
    ("line", "text", "died"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero", 0),
        ("os.kill(os.getpid(), 9)", "its process was ended by signal 9", 2),
        ("os._exit(3)", "its process ended with exit status 3", 2),
        ("return []", "R1: task 0_0 is active on nobody", 0),
        ("os.fork()", "", 0),
    ],
)
def test_whatever_a_program_does_there_is_a_plan(
    tmp_path: Path, group: dict[str, Any], line: str, text: str, died: int
) -> None:
    """What it raises, how it dies and what it answers wrongly is told by the report, twice; the owners keep."""
    with segue.load(plugins=[program(tmp_path, "served", line)]) as host:
        for _ in range(2):
            plan = host.assign("served", group, warn=False)
            assert (plan.report.fallback, text in plan.report.text) == (bool(text), True), plan.report.text
        assert host.metrics().died == died


def test_a_child_that_outlives_the_call_has_no_part_in_a_plan(tmp_path: Path, group: dict[str, Any]) -> None:
    """It comes back when it likes, with a plan of nobody's, and meets none of the plans that are being read."""
    line = 'if os.fork() == 0: return host.assign("learner", {**group.document(), "members": [{"id": "S1"}]})'
    with segue.load(plugins=[program(tmp_path, "served", line)]) as host:
        plans = [host.assign("served", group, warn=False) for _ in range(50)]
        assert [plan.report.text for plan in plans if plan.report.fallback] == []


def test_a_program_that_hangs_is_killed_and_replaced(tmp_path: Path, group: dict[str, Any]) -> None:
    """The budget ends the call, and another process waits for the next."""
    asked = {**group, "config": {**group.get("config", {}), "segue.max.compute.ms": 200}}
    with segue.load(plugins=[program(tmp_path, "served", "time.sleep(3600)")]) as host:
        plan = host.assign("served", asked, warn=False)
        assert "and its process was killed" in plan.report.text
        assert not plan.report.aside
        metrics = host.metrics()
        assert (metrics.late, metrics.started, metrics.processes) == (1, 2, 1)


def test_what_the_strategy_prints_goes_to_standard_error(
    tmp_path: Path, group: dict[str, Any], capfd: pytest.CaptureFixture[str]
) -> None:
    """Nothing of it is taken for an answer, and nothing is lost when the program is ended."""
    with segue.load(plugins=[program(tmp_path, "served")]) as host:
        host.assign("served", group)
    out, err = capfd.readouterr()
    assert (out, err.count("asked\n")) == ("", 1)


def test_a_name_that_the_file_does_not_have_is_refused(tmp_path: Path, group: dict[str, Any]) -> None:
    """Hosts look for a file's name, so that it has to be the assignor's."""
    refused = pytest.raises(
        segue.AssignorError, match="it serves other: the file has to be called as its one assignor is"
    )
    with segue.load(plugins=[program(tmp_path, "served", serves="other")]) as host, refused:
        host.assign("served", group)


def test_a_program_that_nobody_has_started_says_what_it_is() -> None:
    """Run by hand it ends with a sentence, not with a wait for questions."""
    with pytest.raises(segue.InputError, match=r"put it on the plugin path as mine\.assignor"):
        segue.serve("mine", lambda group: [])


def test_the_example_is_a_program_as_well(tmp_path: Path, group: dict[str, Any]) -> None:
    """examples/nightly.assignor starts examples/nightly.py, which serves when it is given no document."""
    line = (EXAMPLES / "nightly.assignor").read_text(encoding="utf-8").splitlines()[-1]
    source = Path(segue.__file__).resolve().parents[1]
    path = tmp_path / "nightly.assignor"
    setup = f"PATH={Path(sys.executable).parent}:$PATH\nexport PYTHONPATH={source}\n"
    if "SEGUE_LIBRARY" in os.environ:
        setup += f"export SEGUE_LIBRARY={os.environ['SEGUE_LIBRARY']}\n"
    path.write_text(f"#!/bin/sh\n{setup}{line}\n", encoding="utf-8")
    path.chmod(0o700)
    (tmp_path / "nightly.py").symlink_to(EXAMPLES / "nightly.py")
    with segue.load(plugins=[path]) as host:
        plan = host.assign("nightly", {**group, "now_ms": 2 * 3_600_000})
    assert (plan.report.fallback, plan.stats.learners) == (False, 1)
    assert os.access(EXAMPLES / "nightly.assignor", os.X_OK)
    assert subprocess.run(["sh", "-n", EXAMPLES / "nightly.assignor"], check=False).returncode == 0
