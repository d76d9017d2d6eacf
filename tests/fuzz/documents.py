#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Damaged group documents: whatever the text, the program prints a plan, or refuses it with one line and status 1.

documents.py --segue PROGRAM [--seed N] [--count N] [--assignor NAME]
The last line is 'N passed, N failed'. A failing document is printed.
"""

import argparse
import copy
import json
import pathlib
import random
import sys
from collections.abc import Callable
from typing import Any

TESTS = pathlib.Path(__file__).parents[1]
sys.path.insert(0, str(TESTS))

from judge import program

ODD_VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    0.5,
    1e308,
    2**31,
    2**32,
    2**63,
    2**64,
    -(2**63),
    "",
    "x" * 3000,
    "\u0000",
    "0_0",
    "é\U0001f600",
    "4294967296_4294967296",
    [],
    {},
    [[]],
    {"": ""},
)


def odd_value(dice: random.Random) -> Any:
    """One of its own: a value shared by two places could be put into itself by the next change."""
    return copy.deepcopy(dice.choice(ODD_VALUES))


def groups() -> list[Any]:
    documents = [
        json.loads(path.read_text(encoding="utf-8"))["group"] for path in sorted((TESTS / "cases").glob("*.json"))
    ]
    return [document for document in documents if len(json.dumps(document)) < 20_000]


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) of a document."""
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    return [place for key in keys for place in ((value, key), *places(value[key]))]


def replace(document: Any, dice: random.Random) -> None:
    container, key = dice.choice(places(document))
    container[key] = odd_value(dice)


def drop(document: Any, dice: random.Random) -> None:
    container, key = dice.choice(places(document))
    del container[key]


def repeat(document: Any, dice: random.Random) -> None:
    lists = [container for container, _ in places(document) if isinstance(container, list)]
    if lists:
        rows = dice.choice(lists)
        rows.append(copy.deepcopy(dice.choice(rows)))


def add(document: Any, dice: random.Random) -> None:
    objects = [container for container, _ in places(document) if isinstance(container, dict)]
    key = dice.choice(("weight", "threads", "x-note", "segue.spread", "", "lag", "tasks"))
    dice.choice(objects)[key] = odd_value(dice)


CHANGES: tuple[Callable[[Any, random.Random], None], ...] = (replace, replace, drop, repeat, add)


def cut(text: str, dice: random.Random) -> str:
    return text[: dice.randrange(len(text))]


def scratch(text: str, dice: random.Random) -> str:
    where = dice.randrange(len(text))
    return text[:where] + dice.choice('{}[]",:0e-\\\u00ff') + text[where + 1 :]


def damaged(documents: list[str], dice: random.Random) -> str:
    document = json.loads(dice.choice(documents))
    for _ in range(dice.randint(1, 3)):
        if places(document):
            dice.choice(CHANGES)(document, dice)
    text = json.dumps(document, ensure_ascii=dice.random() < 0.5)
    return dice.choice((cut, scratch))(text, dice) if dice.random() < 0.25 else text


def fault(tool: str, assignor: str, text: str) -> str | None:
    try:
        done = program.run(tool, assignor, text)
    except program.Refused as refused:
        return str(refused)
    if done.returncode == 0:
        return None if done.stdout.strip() and not done.stderr.strip() else f"a plan and a message: {done.stderr[:300]}"
    if done.returncode != 1:
        return f"exit status {done.returncode}: {done.stderr[:2000]}"
    message = done.stderr.rstrip("\n")
    if done.stdout or not message or "\n" in message:
        return f"refused, but not by one line alone: {message[:300]!r}"
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--segue", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--assignor", default="learner")
    options = parser.parse_args()
    documents = [json.dumps(group) for group in groups()]
    failed = 0
    for number in range(options.count):
        text = damaged(documents, random.Random(f"{options.seed} {number}"))
        if found := fault(options.segue, options.assignor, text):
            failed += 1
            print(f"FAIL documents seed {options.seed} number {number}: {found}")
            print(f"     {text[:2000]}")
    print(f"{options.count - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
