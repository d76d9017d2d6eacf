# SPDX-License-Identifier: Apache-2.0
"""python -m segue: what it promises by itself, and that it is the native program, word for word."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

import segue

NATIVE = ROOT / "build/release/segue"
PYTHON = [sys.executable, "-m", "segue"]
EXAMPLES = ROOT / "packaging/examples"


def run(*arguments: str, text: str = "", **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*PYTHON, *arguments], input=text, capture_output=True, text=True, check=False, **more)


def test_list_shows_the_assignors() -> None:
    """list prints a line for each assignor below its plugin's."""
    done = run("list")
    assert done.returncode == 0
    assert "learner" in [line.split()[0] for line in done.stdout.splitlines()[1:]]


def test_list_has_a_document_too() -> None:
    """list --json says what each assignor is."""
    plugins = json.loads(run("list", "--json").stdout)["plugins"]
    found = {one["name"]: one for plugin in plugins for one in plugin["assignors"]}
    assert (found["eager"]["cold"], found["learner"]["cold"], found["scale-down"]["leaving"]) == (True, False, True)
    assert plugins[0]["abi"] == 1


def test_assign_reads_a_file_and_prints_a_plan(tmp_path: Path, group: dict[str, Any]) -> None:
    """assign prints the plan for the group document of a file."""
    file = tmp_path / "group.json"
    file.write_text(json.dumps(group), encoding="utf-8")
    done = run("assign", "--assignor", "learner", str(file))
    assert json.loads(done.stdout)["assignor"] == "learner"
    assert done.stderr == ""


def test_batch_answers_each_line_before_it_reads_the_next(group: dict[str, Any]) -> None:
    """assign --batch can be spoken with through pipes; a line at fault is answered in its place."""
    command = [*PYTHON, "assign", "--assignor", "sticky", "--batch", "-"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdin
        assert process.stdout
        for line, kind in ((json.dumps(group), "plan/1"), ("{", "error/1"), (json.dumps(group), "plan/1")):
            process.stdin.write(line + "\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["segue"] == kind
        process.stdin.close()
        assert process.wait() == 1


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
        command = [*PYTHON, "assign", "--assignor", "learner", "--batch"]
        text = (json.dumps(group) + "\n") * lines
        done = subprocess.run(command, input=text, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
        os.close(writer)
        assert (done.returncode, done.stderr) == (1, "")


def test_commands_of_the_native_program_run_it(tmp_path: Path) -> None:
    """drain and its like run the segue on the path that is no script; without one the refusal says so."""
    path = {**os.environ, "PATH": str(tmp_path)}
    (tmp_path / "segue").write_text("#!/bin/sh\necho script\n")
    (tmp_path / "segue").chmod(stat.S_IRWXU)
    done = run("drain", "--wait", "x", env=path)
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        done.stderr == "segue: drain is no command of the Python package, and no native program segue is on the path\n"
    )
    (tmp_path / "segue").unlink()
    (tmp_path / "segue").symlink_to(sys.executable)  # an ELF file that complains of its arguments
    assert "drain" in run("drain", env=path).stderr


def texts(group: dict[str, Any]) -> dict[str, str]:
    good = json.dumps(group)
    return {
        "good": good,
        "batch": f'{good}\n\n{{"segue": "group/1"}}\n{good}',
        "none": "",
        "cut": good[:-4],
        "odd": json.dumps({**group, "a\nb\x9b\u2028\u202e\U0001f680": 1}, ensure_ascii=False),
        "path": json.dumps({**group, "members": [{"id": "S1", "threads": -1}]}),
        "lag": json.dumps({**group, "members": [{"id": "S1", "lag": {"0_1": -5}}]}),
        "contested": json.dumps({**group, "members": [{"id": one, "active": ["0_0"]} for one in ("ü", "a", "B")]}),
    }


CALLS: list[tuple[str, list[str]]] = [
    *[
        (text, ["assign", "--assignor", "balanced", *more])
        for text in ("good", "contested")
        for more in ([], ["--compact"])
    ],
    *[(text, ["assign", "--assignor", "learner"]) for text in ("none", "cut", "odd", "path", "lag")],
    *[("batch", ["assign", "--assignor", name, "--batch"]) for name in ("learner", "lerner")],
    ("good", ["assign", "--assignor=sticky", "-"]),
    ("good", ["assign", "--assignor", "learner", "--", "-"]),
    ("good", ["assign", "--assignor", "lerner"]),
    ("good", ["assign", "--assignor", "learner", "--plugin", "/no/such.so"]),
    ("good", ["assign", "--assignor", "learner", "--plugin", "such"]),
    ("good", ["assign", "--assignor", ""]),
    ("none", ["assign", "--assignor", "learner", "/no/such/file"]),
    ("none", ["assign", "--assignor", "learner", "--batch", "/no/such/\u202efile"]),
    ("none", ["assign", "--assignor", "learner", "/"]),
    ("none", ["assign", "--assignor", "learner", "--batch", "/"]),
    *[("none", ["assign", "--assignor", "learner", *batch, "/dev/zero"]) for batch in ([], ["--batch"])],
    ("none", ["assign", "--assignor", "learner", str(EXAMPLES / "racks.json")]),
    *[
        ("none", arguments)
        for arguments in (
            ["assign"],
            ["assign", "--help"],
            ["assign", "--assignor"],
            ["assign", "--asignor", "x"],
            ["assign", "--xyz", "x"],
            ["assign", "--compact=yes"],
            ["assign", "--assignor", "x", "a", "b"],
            ["asign"],
            ["assign", "--" + "x" * 40],
            ["assign", "--\x1b[31m"],
            ["--version"],
            ["list"],
            ["list", "-h"],
            ["list", "--json"],
            ["list", "x"],
            ["list", "--plugin"],
            ["help", "list"],
            ["help", "assin"],
        )
    ],
]


@pytest.fixture(scope="module")
def native() -> Path:
    if not NATIVE.exists():
        pytest.skip("packaging/build has built no program here")
    return NATIVE


def told(command: list[str], text: str, **more: Any) -> tuple[int, str, str]:
    """Exit status, output and complaint; without times, and without the folder of the plugin."""
    done = subprocess.run(command, input=text.encode(), capture_output=True, check=False, **more)
    out = re.sub(r'"elapsed_us": [0-9.e+-]+', '"elapsed_us": 0', done.stdout.decode())
    return done.returncode, re.sub(r'[^("]*/(?=segue-assignors\.so)', "", out), done.stderr.decode()


@pytest.mark.parametrize(("text", "arguments"), CALLS, ids=[" ".join(map(ascii, [t, *a])) for t, a in CALLS])
def test_it_is_the_native_program(native: Path, group: dict[str, Any], text: str, arguments: list[str]) -> None:
    """list and assign take the native program's options and give its output, its words and its exit status."""
    assert told([*PYTHON, *arguments], texts(group)[text]) == told([str(native), *arguments], texts(group)[text])


def lost(program: Path) -> None:
    """Nothing that can be started."""
    program.write_text("#!/nosuch\n", encoding="utf-8")
    program.chmod(0o700)


def closed(program: Path) -> None:
    """Nobody may run it."""
    program.write_text("#!/bin/sh\n", encoding="utf-8")


def dangling(program: Path) -> None:
    """No file at all."""
    program.symlink_to("nowhere")


@pytest.mark.parametrize("arguments", [["list"], ["list", "--json"]])
@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lost, "cannot be started: No such file or directory"),
        (closed, "it is no program that can be run (chmod +x)"),
        (dangling, "it is a link that leads to no file"),
        (Path.mkdir, "it is a folder, where a program of that name is to be"),
    ],
)
def test_a_refusal_is_listed_as_the_native_program_does(
    native: Path, tmp_path: Path, arguments: list[str], make: Callable[[Path], None], why: str
) -> None:
    """A program that cannot be started or run is listed with the reason, and the others are there."""
    program = tmp_path / "mine.assignor"
    make(program)
    environment = {**os.environ, "SEGUE_PLUGIN_PATH": str(tmp_path)}
    by_python = told([*PYTHON, *arguments], "", env=environment)
    assert by_python == told([str(native), *arguments], "", env=environment)
    assert by_python[0] == 0
    assert str(program) in by_python[1]
    assert why in by_python[1]
    assert "learner" in by_python[1]


def test_a_fallback_is_told_of_as_the_native_program_does(
    native: Path, group: dict[str, Any], bad_plugin: Path
) -> None:
    """The warning names the source, the assignor and the reason."""
    arguments = ["assign", "--assignor", "fails", "--plugin", str(bad_plugin)]
    by_python = told([*PYTHON, *arguments], json.dumps(group))
    assert by_python == told([str(native), *arguments], json.dumps(group))
    assert by_python[2].startswith("segue: warning: standard input: the fallback answered instead of fails: ")


@pytest.mark.parametrize("arguments", [["list"], ["--help"], ["assign", "--assignor", "learner", "--batch"]])
def test_a_full_disk_is_complained_of_once(native: Path, group: dict[str, Any], arguments: list[str]) -> None:
    """Output that cannot be written ends with status 1 and one line."""
    text = f"{json.dumps(group)}\n" * 3
    with open("/dev/full", "wb") as full:
        for command in (PYTHON, [str(native)]):
            done = subprocess.run(
                [*command, *arguments], input=text, stdout=full, stderr=subprocess.PIPE, text=True, check=False
            )
            assert (done.returncode, done.stderr) == (1, "segue: standard output: No space left on device\n")


def test_the_script_is_the_program() -> None:
    """Installed, the package has a script segue that is python -m segue."""
    script = Path(sys.executable).with_name("segue")
    if not script.exists():
        pytest.skip("the package is not installed in this environment")
    assert told([str(script), "--version"], "") == (0, f"segue {segue.__version__} (plugin interface 1)\n", "")
