#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Changes a copy of the sources, one line at a time, and looks whether a test notices.

score.py --build FOLDER [--seed N] [--count N] [--minutes N] [--files PREFIX] [--floor PERCENT]
FOLDER is a build of FOLDER/source, a copy of the sources; packaging/mutation makes both. A mutant is killed when a test
fails or does not end in time. One that does not compile is no mutant. Those of equivalent.txt are left out, each with
its reason. The last line is 'N of M mutants killed: P %'.
"""

import argparse
import pathlib
import random
import subprocess
import sys
import time

from operators import Mutant, mutants

HERE = pathlib.Path(__file__).parent
TEST_S, SHOWN = 60, 200
VALIDATOR = ("plan_check", "plan_shape", "group_check", "crowd", "fallback")
HOST_TESTS = ("host_plan_check_test", "host_group_check_test", "host_fallback_test", "host_assign_test")
REPLAYS = ("validator", "wire_group", "wire_plan", "assignor")
# The tests of a file of the solver: its own first, then the strategies that it serves.
STRATEGIES = ("learner", "balanced", "scale_down", "spread", "decide", "course", "high_availability")


def files(root: pathlib.Path) -> list[str]:
    solver = sorted(path.name for path in (root / "plugin/solve").glob("*.c") if not path.name.endswith("_test.c"))
    return [f"hosts/c/{name}.c" for name in VALIDATOR] + [f"plugin/solve/{name}" for name in solver]


def equivalent() -> dict[tuple[str, str, str], str]:
    """(file, line, changed line) -> why nothing can tell them apart."""
    known = {}
    for row in (HERE / "equivalent.txt").read_text(encoding="utf-8").splitlines():
        if row and not row.startswith("#"):
            path, before, after, reason = (part.strip() for part in row.split(" | "))
            known[path, before, after] = reason
    return known


def programs(build: pathlib.Path, path: str) -> list[list[str]]:
    """Commands that can notice a change of the file, the likeliest first."""
    replays = [[f"./fuzz_{name}", str(build / "source/tests/fuzz/corpus" / name)] for name in REPLAYS]
    if path.startswith("hosts/"):
        return [[f"./{name}"] for name in HOST_TESTS] + replays
    stem = pathlib.Path(path).stem
    tests = sorted(f"plugin_{one.stem}" for one in (build / "source/plugin").rglob("*_test.c"))
    family = stem.split("_")[0]
    own = [name for name in tests if name == f"plugin_{stem}_test"]
    near = [name for name in tests if name.startswith(f"plugin_{family}") and name not in own]
    strategies = [f"plugin_{name}_test" for name in STRATEGIES if f"plugin_{name}_test" not in own + near]
    return [[f"./{name}"] for name in own + near + strategies] + replays


def succeeds(command: list[str], build: pathlib.Path, seconds: int | None) -> bool:
    try:
        done = subprocess.run(command, cwd=build, capture_output=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def made(command: list[str], build: pathlib.Path) -> bool:
    return succeeds(["ninja", command[0].removeprefix("./")], build, None)


def check_unchanged(build: pathlib.Path, wanted: list[Mutant]) -> None:
    """Tests that fail anyway would kill everything."""
    for command in {command[0]: command for one in wanted for command in programs(build, one.path)}.values():
        if not made(command, build) or not succeeds(command, build, None):
            sys.exit(f"{command[0]} fails, or is not made, before anything is changed")


def find_killer(build: pathlib.Path, commands: list[list[str]]) -> str | None:
    """What notices; "" for nothing, None where the change does not compile. Each test is made when its turn comes."""
    for command in commands:
        if not made(command, build):
            return None
        if not succeeds(command, build, TEST_S):
            return command[0]
    return ""


def judge(build: pathlib.Path, mutant: Mutant) -> str | None:
    place = build / "source" / mutant.path
    text = place.read_text(encoding="utf-8")
    lines = text.splitlines()
    lines[mutant.line - 1] = mutant.after
    try:
        place.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return find_killer(build, programs(build, mutant.path))
    finally:
        place.write_text(text, encoding="utf-8")


def sample(build: pathlib.Path, prefix: str, seed: int, count: int) -> list[Mutant]:
    root = build / "source"
    known = equivalent()
    every = [one for path in files(root) if path.startswith(prefix) for one in mutants(root, path)]
    told = [one for one in every if (one.path, one.before.strip(), one.after.strip()) not in known]
    count = min(count, len(told))
    print(f"{len(every)} mutants, {len(every) - len(told)} known to be equivalent; {count} are tried", flush=True)
    return random.Random(seed).sample(told, count)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--files", default="")
    parser.add_argument("--floor", type=float, default=90)
    options = parser.parse_args()
    killed = tried = 0
    end = time.monotonic() + options.minutes * 60
    wanted = sample(options.build, options.files, options.seed, options.count)
    check_unchanged(options.build, wanted)
    for mutant in wanted:
        if time.monotonic() > end:
            print("the time is over")
            break
        verdict = judge(options.build, mutant)
        if verdict is not None:
            tried += 1
            killed += verdict != ""
            if verdict == "":
                print(f"SURVIVES {mutant}"[:SHOWN], flush=True)
    score = 100 * killed / tried if tried else 0.0
    print(f"{killed} of {tried} mutants killed: {score:.1f} %")
    return 0 if tried and score >= options.floor else 1


if __name__ == "__main__":
    sys.exit(main())
