#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Documents that are no group: the program refuses each with one clear line and no plan.

garbage.py --segue PROGRAM [FOLDER]      default: the folder garbage beside this file
The last line is 'N passed, N failed'.
"""

import argparse
import json
import pathlib
import subprocess
import sys

DEADLINE_S = 60


def fault(tool: str, note: pathlib.Path) -> str | None:
    stem = note.name.removesuffix(".expect.json")
    document = next(
        note.parent / f"{stem}{end}" for end in (".json", ".txt") if (note.parent / f"{stem}{end}").exists()
    )
    command = [tool, "assign", "--assignor", "learner", str(document)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=DEADLINE_S, check=False)
    except subprocess.TimeoutExpired:
        return f"no answer in {DEADLINE_S} s"
    text = done.stderr.decode("utf-8", "replace").strip()
    missing = [word for word in json.loads(note.read_text(encoding="utf-8"))["stderr_mentions"] if word not in text]
    if done.returncode != 1:
        return f"exit status {done.returncode}, where 1 says that the input is at fault: {text[-300:]}"
    if done.stdout.strip():
        return "a plan was printed all the same"
    if not text or "\n" in text or len(text) > 1000:
        return f"not one clear line: {text[:200]!r}"
    return f"the line does not mention {missing}: {text}" if missing else None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--segue", required=True)
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).parent / "garbage")
    options = parser.parse_args()
    notes = sorted(options.folder.glob("*.expect.json"))
    faults = {note.name: found for note in notes if (found := fault(options.segue, note))}
    for name, found in faults.items():
        print(f"FAIL {name.removesuffix('.expect.json')}: {found}")
    print(f"{len(notes) - len(faults)} passed, {len(faults)} failed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
