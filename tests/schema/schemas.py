#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The schemas of hosts/schema: they take what the program takes, and refuse what it refuses.

schemas.py --segue PROGRAM     needs the package jsonschema
The documents are the situations of tests/cases, the examples and the presets; each is also spoilt in every way that
SPOILS knows, at every place. The last line is 'N passed, N failed'.
"""

import argparse
import collections
import copy
import json
import pathlib
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

# It ships no types.
import jsonschema  # type: ignore[import-untyped]

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "hosts/schema"
# What stands in for a value, or beside it.
SPOILS: list[Any] = ["", "word", -1, 0, 2.5, True, None, [], {}, ["word", "word"], 10**18]
# What no schema can know: names that have to be there, or only once, sums, and values of the configuration.
BEYOND = re.compile(
    r"is listed twice|is the id of an earlier one|the group has no member|happens after more than a year"
    r"|longer than every_ms|behind the scenario's until_ms|not behind at_ms|config[.:\[]"
)
# Enough of a document to have each key once.
PLACES_MOST = 120


def schema(name: str) -> Any:
    """Each stands alone: an editor takes one file."""
    wanted = json.loads((SCHEMAS / name).read_text())
    jsonschema.Draft202012Validator.check_schema(wanted)
    return jsonschema.Draft202012Validator(wanted)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place, but for those inside of a configuration."""
    if path:
        yield path
    if path and path[-1] == "config":
        return
    rows = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in rows:
        yield from places(inner, (*path, key))


def at(document: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        document = document[key]
    return document


def spoilt(document: Any) -> Iterator[Any]:
    """The document with one thing replaced, missing, or too much."""
    for path in list(places(document))[:PLACES_MOST]:
        for spoil in SPOILS:
            made = copy.deepcopy(document)
            at(made, path[:-1])[path[-1]] = spoil
            yield made
        made = copy.deepcopy(document)
        del at(made, path[:-1])[path[-1]]
        yield made
        if isinstance(at(document, path), dict) and path[-1] not in ("lag", "tags", "config"):
            made = copy.deepcopy(document)
            at(made, path)["thraeds"] = 1
            yield made


def group_faults(segue: str, groups: list[Any]) -> list[str]:
    """What the program says of each; empty where it has a plan."""
    text = "".join(json.dumps(group) + "\n" for group in groups)
    done = subprocess.run(
        [segue, "assign", "--batch", "--assignor", "learner", "-"],
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(rows) == len(groups), done.stderr
    return [row.get("error", "") for row in rows]


def scenario_faults(segue: str, scenarios: list[Any]) -> list[str]:
    faults = []
    for scenario in scenarios:
        done = subprocess.run(
            [segue, "simulate", "--json", "-"], input=json.dumps(scenario), capture_output=True, text=True, check=False
        )
        assert done.returncode in (0, 1), (done.returncode, done.stderr)
        faults.append(done.stderr if done.returncode else "")
    return faults


def judge(validator: Any, documents: list[Any], faults: list[str], counts: "collections.Counter[str]") -> None:
    for document, fault in zip(documents, faults, strict=True):
        error = jsonschema.exceptions.best_match(validator.iter_errors(document))
        agrees = bool(error) == bool(fault) or (fault and not error and BEYOND.search(fault))
        counts["passed" if agrees else "failed"] += 1
        counts["refused"] += bool(error)
        if not agrees:
            said = f"{error.json_path} {error.message[:200]}" if error else "yes"
            print(f"FAIL: the program says {fault.strip() or 'yes'!r}, the schema {said!r}")


def small(group: Any) -> bool:
    return len(json.dumps(group)) < 4000


def presets(segue: str) -> list[Any]:
    names = [
        line.split()[0]
        for line in subprocess.check_output([segue, "simulate", "--preset", "list"], text=True).splitlines()
    ]
    sized = ("--tasks", "4", "--members", "2")
    return [
        json.loads(subprocess.check_output([segue, "simulate", "--preset", name, "--print", *sized])) for name in names
    ]


def every_word(scenario: Any) -> Iterator[Any]:
    """Each word of an action with each key, be it the word's or not."""
    action = json.loads((SCHEMAS / "scenario-1.json").read_text())["$defs"]["action"]["properties"]
    needed = {
        "restart": {"away_ms": 1},
        "flap": {"every_ms": 1},
        "kills": {"every_ms": 1, "until_ms": 5},
        "disk": {"restore_bytes_per_s": 1},
    }
    values = {"by": "leave", "lose_disk": True, "x-why": "a note"}
    member = scenario["group"]["members"][0]["id"]
    for word in action["do"]["enum"]:
        for key in (*action.keys() - {"do", "member", "members"}, "x-why"):
            of_one = {"do": word, "member": member, **needed.get(word, {}), key: values.get(key, 1)}
            yield {**scenario, "actions": [of_one]}
            yield {**scenario, "actions": [{**of_one, "by": "drain"}]}
    yield {**scenario, "actions": [{"do": "start", "members": [member], "stagger_ms": 1}]}
    for key in ("record_bytes", "restore_bytes_per_s", "write_bytes_per_s"):
        for value in (-1, 0, 1e-7, 1):
            yield {**scenario, "cluster": {**scenario["cluster"], key: value}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--segue", required=True, help="the program")
    segue = parser.parse_args().segue
    counts: collections.Counter[str] = collections.Counter()
    examples = [json.loads(path.read_text()) for path in sorted((ROOT / "packaging/examples").glob("*.json"))]
    groups = [json.loads(path.read_text())["group"] for path in sorted((ROOT / "tests/cases").glob("*.json"))]
    groups += [example for example in examples if example["segue"] == "group/1"]
    sampled = [group for group in groups if small(group)][::12]
    wide = groups + [made for group in sampled for made in spoilt(group)]
    judge(schema("group-1.json"), wide, group_faults(segue, wide), counts)
    plain = presets(segue) + [example for example in examples if example["segue"] == "scenario/1"]
    played = plain + [made for scenario in plain[5:7] for made in spoilt(scenario)] + list(every_word(plain[0]))
    judge(schema("scenario-1.json"), played, scenario_faults(segue, played), counts)
    carried = json.loads((SCHEMAS / "scenario-1.json").read_text())["$defs"]["group"]
    if carried != json.loads((SCHEMAS / "group-1.json").read_text()):
        print("FAIL: scenario-1.json carries another schema of groups than group-1.json")
        counts["failed"] += 1
    if not counts["refused"]:
        print("FAIL: nothing was refused")
        counts["failed"] += 1
    print(f"{counts['passed']} passed, {counts['failed']} failed")
    sys.exit(bool(counts["failed"]))


if __name__ == "__main__":
    main()
