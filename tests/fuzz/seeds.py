#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Inputs to start the fuzz targets from: the cases' groups as documents, messages and records, and small plugin files.

seeds.py --segue PROGRAM FOLDER      writes FOLDER/TARGET/...
"""

import argparse
import itertools
import json
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).parents[1]
DOCUMENT_MOST = 4000  # bytes; larger ones are slow and reach nothing new
HEAD = struct.Struct("<8sIIqQiIIIQQ")
RANDOM_INPUTS = 64
CONFIGS = (
    "num.standby.replicas=1\nacceptable.recovery.lag=0\nmax.warmup.replicas=3\n",
    "segue.max.learners=2\nsegue.max.learning.bytes=-1\nstream.imbalance.percentage=12.5e0\n",
    "rack.aware.assignment.strategy=min_traffic\nrack.aware.assignment.tags=zone,host\nsegue.spread.subtopologies=true\n",
    "segue.max.compute.ms= 5 \nscale.down.timeout.ms=60000\nstream.rebalancing.mode=upgrading\nforeign=\n",
    "learner.partial.rebalance=FALSE\nprobing.rebalance.interval.ms=9223372036854775807\n",
)


class Corpus:
    """Files by target, named by their number."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.numbers = itertools.count()

    def add(self, target: str, content: bytes) -> None:
        place = self.folder / target
        place.mkdir(parents=True, exist_ok=True)
        (place / f"seed-{next(self.numbers):03}").write_bytes(content)


def documents() -> list[bytes]:
    groups = [
        json.loads(path.read_text(encoding="utf-8"))["group"] for path in sorted((TESTS / "cases").glob("*.json"))
    ]
    texts = [json.dumps(group, separators=(",", ":")).encode() for group in groups]
    return [text for text in texts if len(text) <= DOCUMENT_MOST]


def record(tool: str, text: bytes) -> bytes:
    """What the program writes down of one plan."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "plans.rec")
        subprocess.run(
            [tool, "assign", "--assignor", "scale-down", "-"],
            input=text,
            env={**os.environ, "SEGUE_RECORD_PATH": str(path)},
            stdout=subprocess.DEVNULL,
            check=True,
        )
        return path.read_bytes()


def messages(frame: bytes) -> tuple[bytes, bytes]:
    head = HEAD.unpack_from(frame)
    at_group = head[2] + -(-head[8] // 8) * 8
    group_size, plan_size = head[9], head[10]
    return frame[at_group : at_group + group_size], frame[at_group + group_size :][:plan_size]


def note(names: bytes, floor: int = 1, newest: int = 1) -> bytes:
    names += b"\0" * (-len(names) % 4)
    description = struct.pack("<IIII", floor, newest, 0x010000, len(names.rstrip(b"\0")) + 2) + names
    return struct.pack("<III", 6, len(description), 1) + b"segue\0\0\0" + description


def plugin(notes: bytes) -> bytes:
    """As much of a shared object as is read: a header, one program header, its notes."""
    ident = b"\x7fELF" + bytes((2, 1, 1)) + bytes(9)
    header = ident + struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    return header + struct.pack("<IIQQQQQQ", 4, 4, 120, 0, 0, len(notes), len(notes), 4) + notes


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--segue", required=True)
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    corpus = Corpus(options.folder)
    for text in documents():
        frame = record(options.segue, text)
        group, plan = messages(frame)
        for target, content in (("json", text), ("record", frame), ("wire_group", group), ("wire_plan", plan)):
            corpus.add(target, content)
    for config in CONFIGS:
        corpus.add("config", config.encode())
    other = struct.pack("<III", 4, 4, 3) + b"GNU\0" + b"abcd"
    for notes in (note(b"eager\0sticky\0\0"), other + note(b"a\0\0"), note(b"A\0\0"), other, note(b"a\0\0", 3, 2)):
        corpus.add("note", plugin(notes))
        corpus.add("note", notes)
    dice = random.Random(1)
    for target in ("assignor", "validator", "session"):
        for _ in range(RANDOM_INPUTS):
            corpus.add(target, dice.randbytes(dice.choice((40, 200, 600))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
