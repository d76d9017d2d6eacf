#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the instructions that `assign` takes for each task, and compares them with those that were recorded.

Times on a shared machine tell little; instructions are the same in every run, so that a change of the plugin can be
held against the one before it. They depend on the compiler and on the C library, so compare on one machine: record
first (--write), change, then compare.

"With everything" has a member that leaves. The default, learner, takes it for one that stays, and so do all that heed
no marks: `--assignor scale-down` or `balanced` measures a drain.

    tests/bench/instructions.py [--segue build/release/segue] [--write] [--assignor NAME]

The exit status is 1 when a case takes more than 3 percent longer than recorded. Needs valgrind.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
RECORD = HERE / "instructions.json"
TOLERANCE = 0.03
CALLS = 3  # the program warms up twice before the run that it is asked for
EVENTS = ("fresh", "stable", "join1", "joinmany", "leave1", "partitions")
EVERYTHING = ("--standbys", "1", "--racks", "3", "--weights", "--leaving", "1")
SIZES = ((50, 5), (500, 25), (5000, 200), (10000, 1000))


def cases():
    """Name and options of each case: all events plain and with everything, and the largest size plain."""
    for tasks, members in SIZES:
        for event in EVENTS:
            yield f"{tasks}x{members} {event}", tasks, members, ("--event", event)
            yield f"{tasks}x{members} {event} with everything", tasks, members, ("--event", event, *EVERYTHING)
    for event in EVENTS:
        yield f"100000x10000 {event}", 100000, 10000, ("--event", event)


def count(segue, assignor, tasks, members, options):
    """Instructions of one call for each task."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out"]
        command += ["--toggle-collect=sgp_course_run", str(segue), "bench", "--assignor", assignor, "--repeats", "1"]
        command += ["--tasks", str(tasks), "--members", str(members), *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"instructions: {' '.join(command)}\n{done.stderr}")
        found = re.search(r"^summary: (\d+)", pathlib.Path(folder, "out").read_text(), re.MULTILINE)
        return int(found.group(1)) / CALLS / tasks


def main():
    """Counts, compares or writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--segue", type=pathlib.Path, default=ROOT / "build/release/segue")
    parser.add_argument("--assignor", default="learner")
    parser.add_argument("--write", action="store_true", help="record what is counted instead of comparing")
    wanted = parser.parse_args()
    recorded = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    before = recorded.get(wanted.assignor, {})
    counted, worse = {}, 0
    print(f"{'instructions for each task':44} {'now':>9} {'recorded':>9} {'ratio':>6}")
    for name, tasks, members, options in cases():
        now = counted[name] = round(count(wanted.segue, wanted.assignor, tasks, members, options), 1)
        old = before.get(name)
        worse += old is not None and now > old * (1 + TOLERANCE)
        ratio = f"{now / old:6.2f}" if old else "      "
        print(f"{name:44} {now:9.1f} {old or '':>9} {ratio}", flush=True)
    if wanted.write:
        recorded[wanted.assignor] = counted
        RECORD.write_text(json.dumps(recorded, indent=1) + "\n")
        return 0
    print(f"{worse} worse than recorded by more than {TOLERANCE:.0%}")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
