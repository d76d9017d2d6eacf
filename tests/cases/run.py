#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs case documents through the program, for each assignor that both the case and the program know.

run.py --segue PROGRAM [--referee FILE] [CASE.json ...]      default: the cases beside this file

With --referee the judge is that independent program, which holds more rules; else the small one of tests/judge.
Exit status 0: everything holds; 1: something fell short, one line each. The last line is 'N passed, N failed'.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
from typing import Any

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from judge import program
from judge.case import run_case

Document = dict[str, Any]


def read_cases(paths: list[pathlib.Path], offered: list[str]) -> list[Document]:
    """The cases, each with the assignors that there are; those without any drop out."""
    cases = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    for case in cases:
        case["assignors"] = [name for name in case["assignors"] if name in offered]
    return [case for case in cases if case["assignors"]]


def by_referee(referee: str, tool: str, cases: list[Document]) -> int:
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for case in cases:
            paths.append(pathlib.Path(folder, f"{case['case']}.json"))
            paths[-1].write_text(json.dumps(case), encoding="utf-8")
        return subprocess.run(
            [sys.executable, "-B", referee, "case", "--segue", tool, *map(str, paths)], check=False
        ).returncode


def by_own_judge(tool: str, cases: list[Document]) -> int:
    failed = 0
    for case in cases:
        lines = [
            f"FAIL {case['case']} [{name}] {line}" for name in case["assignors"] for line in outcome(tool, case, name)
        ]
        failed += bool(lines)
        print(*lines, sep="\n", end="\n" if lines else "")
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


def outcome(tool: str, case: Document, assignor: str) -> list[str]:
    try:
        return run_case(tool, case, assignor)
    except (program.Refused, KeyError, TypeError) as fault:
        return [f"{type(fault).__name__}: {fault}"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--segue", required=True)
    parser.add_argument("--referee")
    parser.add_argument("cases", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    cases = read_cases(options.cases or sorted(HERE.glob("*.json")), program.offered(options.segue))
    if options.referee:
        return by_referee(options.referee, options.segue, cases)
    return by_own_judge(options.segue, cases)


if __name__ == "__main__":
    sys.exit(main())
