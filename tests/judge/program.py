# SPDX-License-Identifier: Apache-2.0
"""Runs the program `segue` and reads what it prints."""

import json
import os
import subprocess
from typing import Any

Document = dict[str, Any]

ASSIGNORS = ("eager", "sticky", "high-availability", "learner", "scale-down", "balanced")
DEADLINE_S = float(os.environ.get("SEGUE_TEST_DEADLINE_S", "120"))
NO_SUCH_ASSIGNOR = 3


class Refused(Exception):
    """The program gave no plan; the text says what it gave instead."""


def run(program: str, assignor: str, text: str, *options: str) -> subprocess.CompletedProcess[str]:
    command = [program, "assign", "--assignor", assignor, *options, "-"]
    try:
        return subprocess.run(command, input=text, text=True, capture_output=True, timeout=DEADLINE_S, check=False)
    except subprocess.TimeoutExpired:
        raise Refused(f"no answer within {DEADLINE_S:.0f} s") from None


def plan(program: str, assignor: str, group: Document) -> Document:
    done = run(program, assignor, json.dumps(group))
    if done.returncode != 0:
        raise Refused(f"exit status {done.returncode}: {done.stderr.strip()[-300:]}")
    return parsed(done.stdout)


def plans(program: str, assignor: str, groups: list[Document]) -> list[Document]:
    """One process for all of them, one plan for each."""
    done = run(program, assignor, "".join(json.dumps(group) + "\n" for group in groups), "--batch")
    if done.returncode != 0:
        raise Refused(
            f"exit status {done.returncode} after {done.stdout.count(chr(10))} plans: {done.stderr.strip()[-2000:]}"
        )
    lines = done.stdout.splitlines()
    if len(lines) != len(groups):
        raise Refused(f"{len(lines)} plans for {len(groups)} groups")
    return [parsed(line) for line in lines]


def parsed(text: str) -> Document:
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise Refused(f"the plan is no JSON document: {error}") from None
    if not isinstance(document, dict) or document.get("segue") != "plan/1":
        raise Refused(f"not a plan/1 document: {text[:80]}")
    return document


def offered(program: str) -> list[str]:
    """The known assignors that the program has."""
    group = json.dumps({"segue": "group/1", "members": [{"id": "alone"}]})
    return [name for name in ASSIGNORS if run(program, name, group).returncode != NO_SUCH_ASSIGNOR]
