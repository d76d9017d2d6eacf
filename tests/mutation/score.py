#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Changes a copy of the sources, one line at a time, and looks whether a test notices.

score.py --build FOLDER [--seed N] [--count N] [--minutes N] [--files PREFIX] [--floor PERCENT]
         [--short] [--verbose]
FOLDER is a build of FOLDER/source, a copy of the sources; packaging/mutation makes both. A mutant is killed when a test
fails or does not end in time. One that does not compile is no mutant. Those of equivalent.txt are left out, each with
its reason. The last line is 'N of M mutants killed: P %', with the range that the share of all mutants lies in.
"""

import argparse
import math
import os
import pathlib
import random
import resource
import subprocess
import sys
import time
from collections.abc import Iterable

from operators import Mutant, mutants

HERE = pathlib.Path(__file__).parent
# A test may compute so many times as long as it does unchanged, and so many seconds more. It is computing time that is
# counted, so that a busy machine kills no mutant; who neither computes nor ends is stopped by the clock, late.
PATIENCE, GRACE_S, CLOCK_S = 4, 0.5, 3600
MEMORY_MB = 2048
# The address sanitizer's, beside what the environment says.
OPTIONS = f"detect_leaks=0:allocator_may_return_null=1:hard_rss_limit_mb={MEMORY_MB}"
# All that tests of the plugin are linked with.
LIBRARY = "libsegue_plugin_units.so"
# What computes longer than this is asked last, and tests of other steps of the solver not at all.
LONG_S = 3
SHOWN = 200
VALIDATOR = ("plan_check", "plan_shape", "group_check", "crowd", "fallback")
HOST_TESTS = (
    "host_plan_check_test",
    "host_group_check_test",
    "host_fallback_test",
    "host_assign_test",
    "host_argument_test",
)
REPLAYS = ("validator", "wire_group", "wire_plan", "assignor", "session")
# The solvers of others are asked where the packages are there: see tests/oracles.
ORACLES = {"flow": "flow", "zone": "flow", "rack": "rack", "weigh": "weight", "stand": "joint", "relief": "joint"}
Command = tuple[str, ...]


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


class Tests:
    """What can notice a change: the programs of a build, and how long each computes when nothing is changed."""

    def __init__(self, build: pathlib.Path, short: bool) -> None:
        self.build, self.short = build, short
        self.environment = {**os.environ, "ASAN_OPTIONS": OPTIONS}
        self.seconds: dict[Command, float] = {}
        self.units = sorted(path.stem for path in (build / "source/plugin").rglob("*_test.c"))
        self.folder = {path.stem: path.parent.name for path in (build / "source/plugin").rglob("*_test.c")}
        self.oracles = {name for name in ORACLES.values() if self.offers(f"{name}_oracle")}

    def rounds(self, path: str) -> list[list[Command]]:
        """The commands for a file of the sources, the likeliest to notice first; what a round needs is made at once."""
        replays: list[Command] = [(f"./fuzz_{name}", f"source/tests/fuzz/corpus/{name}") for name in REPLAYS]
        if path.startswith("hosts/"):
            return [[(f"./{name}",) for name in HOST_TESTS], replays]
        stem = pathlib.Path(path).stem
        family = stem.split("_")[0]
        own = [name for name in self.units if name == f"{stem}_test"]
        near = [name for name in self.units if name.startswith(family) and name not in own]
        far = [name for name in self.units if self.folder[name] == "strategy"]
        rest = [name for name in self.units if self.folder[name] in ("solve", "session") and name not in own + near]
        short = [self.commands(name for name in names if self.cost(name) <= LONG_S) for names in (own, near, far, rest)]
        if self.short:
            return [*short, replays]
        long = self.commands(name for name in own + near + far if self.cost(name) > LONG_S)
        oracle = ORACLES.get(family)
        return [*short, replays, long, [(f"./{oracle}_oracle",)] if oracle in self.oracles else []]

    def commands(self, units: Iterable[str]) -> list[Command]:
        return [(f"./plugin_{name}",) for name in sorted(units, key=self.cost)]

    def cost(self, unit: str) -> float:
        return self.seconds.get((f"./plugin_{unit}",), 0.0)

    def offers(self, target: str) -> bool:
        return subprocess.run(["ninja", "-t", "query", target], cwd=self.build, capture_output=True).returncode == 0

    def make(self, targets: list[str]) -> bool:
        return subprocess.run(["ninja", *targets], cwd=self.build, capture_output=True).returncode == 0

    def limit(self, command: Command) -> int:
        """Seconds that a command may compute."""
        known = self.seconds.get(command)
        if known is None:
            return LONG_S + 1 if self.short else CLOCK_S
        return math.ceil(known * PATIENCE + GRACE_S)

    def passes(self, command: Command) -> bool:
        """Ends with the first test that fails, where the program says so (cmocka's would go on with the others)."""
        limit = self.limit(command)
        limits = ["timeout", str(CLOCK_S), "prlimit", f"--cpu={limit}", "--core=0"]
        with subprocess.Popen(
            [*limits, *command],
            cwd=self.build,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        ) as running:
            assert running.stdout is not None
            if any(b"[  FAILED  ]" in line for line in running.stdout):
                running.terminate()
                return False
            return running.wait() == 0

    def measure(self, commands: list[Command]) -> None:
        """Tests that fail anyway would kill everything."""
        if not self.make(sorted({command[0].removeprefix("./") for command in commands})):
            sys.exit("the tests are not made before anything is changed")
        for command in commands:
            before = computed()
            passed = self.passes(command)
            self.seconds[command] = computed() - before
            if not passed and not (self.short and self.seconds[command] > LONG_S):
                sys.exit(f"{' '.join(command)} fails before anything is changed")

    def remake(self, path: str) -> bool:
        """The library anew with one file of the plugin, by the build's own commands: to ask ninja costs more."""
        asked = [["ninja", "-t", "commands", "-s", target] for target in (object_of(path), LIBRARY)]
        lines = [subprocess.run(ask, cwd=self.build, capture_output=True, check=True).stdout for ask in asked]
        made = (subprocess.run(["sh", "-c", line], cwd=self.build, capture_output=True) for line in lines)
        return all(one.returncode == 0 for one in made)

    def killer(self, path: str) -> str | None:
        """The test that notices how the file stands now; "" for none, None where it does not compile."""
        of_plugin = path.startswith("plugin/")
        if of_plugin and not self.remake(path):
            return None
        for commands in self.rounds(path):
            if not of_plugin and commands and not self.make([command[0].removeprefix("./") for command in commands]):
                return None
            for command in commands:
                if not self.passes(command):
                    return command[0]
        return ""


def object_of(path: str) -> str:
    return path.replace("plugin/", "plugin/CMakeFiles/segue_plugin_objects.dir/", 1) + ".o"


def computed() -> float:
    """Seconds that the children have computed."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def judge(tests: Tests, mutant: Mutant) -> str | None:
    place = tests.build / "source" / mutant.path
    text = place.read_text(encoding="utf-8")
    made = tests.build / object_of(mutant.path)
    kept = made.read_bytes() if made.exists() else None
    lines = text.splitlines()
    lines[mutant.line - 1] = mutant.after
    try:
        place.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return tests.killer(mutant.path)
    finally:
        place.write_text(text, encoding="utf-8")
        if kept is not None:
            made.write_bytes(kept)


def sample(build: pathlib.Path, prefix: str, seed: int, count: int) -> list[Mutant]:
    root = build / "source"
    known = equivalent()
    every = [one for path in files(root) if path.startswith(prefix) for one in mutants(root, path)]
    # In one order for a seed, so that one more that is known to be equivalent changes no more than one of the draw.
    random.Random(seed).shuffle(every)
    told = [one for one in every if (one.path, one.before.strip(), one.after.strip()) not in known]
    print(f"{len(every)} mutants, {len(every) - len(told)} known to be equivalent; at most {count} tried", flush=True)
    return told[:count]


def surely(killed: int, tried: int) -> tuple[float, float]:
    """Between which shares that of all mutants lies, with 95 % confidence (Wilson's interval), in percent."""
    z = 1.96
    share, scale = killed / tried, 1 + z * z / tried
    middle = share + z * z / (2 * tried)
    spread = z * math.sqrt(share * (1 - share) / tried + z * z / (4 * tried * tried))
    return 100 * (middle - spread) / scale, 100 * (middle + spread) / scale


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--files", default="")
    parser.add_argument("--floor", type=float, default=90)
    parser.add_argument("--short", action="store_true", help="without tests that compute for seconds, and the oracles")
    parser.add_argument("--verbose", action="store_true", help="name the killed ones as well, each with its test")
    options = parser.parse_args()
    killed = tried = 0
    end = time.monotonic() + options.minutes * 60
    wanted = sample(options.build, options.files, options.seed, options.count)
    tests = Tests(options.build, options.short)
    tests.measure(list(dict.fromkeys(command for one in wanted for made in tests.rounds(one.path) for command in made)))
    for mutant in wanted:
        if time.monotonic() > end:
            print("the time is over")
            break
        verdict = judge(tests, mutant)
        if verdict is not None:
            tried += 1
            killed += verdict != ""
            said = f"killed by {verdict.removeprefix('./')}" if verdict else "SURVIVES"
            if options.verbose or not verdict:
                print(f"{said} {mutant}"[:SHOWN], flush=True)
    score = 100 * killed / tried if tried else 0.0
    low, high = surely(killed, tried) if tried else (0.0, 0.0)
    print(f"{killed} of {tried} mutants killed: {score:.1f} % ({low:.1f} to {high:.1f} % of all, with 95 % confidence)")
    return 0 if tried and score >= options.floor else 1


if __name__ == "__main__":
    sys.exit(main())
