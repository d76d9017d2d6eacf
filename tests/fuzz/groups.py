#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random groups, many to a process: every plan holds R1-R3, R7 and R8, does not depend on the input's order, and is
the same again when it was carried out and nothing changed.

groups.py --segue PROGRAM [--seed N] [--count N] [--assignor NAME ...]      default: those that the program has
The last line is 'N passed, N failed'. A failing group is printed, so that it can be kept as a case.
"""

import argparse
import copy
import json
import pathlib
import random
import sys
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from judge import program
from judge.group import ROLES, Group, after
from judge.rules import faults, placement

Document = dict[str, Any]
LAGS = (0, 1, 10_000, 10_001, 250_000, None)
MOVES_STATE_COLD = {"eager", "sticky", "high-availability"}


def random_group(dice: random.Random) -> Document:
    """Any shape that a runtime could report, contradictions included: two owners, a claim on a task that is gone."""
    subtopologies = [random_subtopology(dice, number) for number in range(dice.randint(0, 4))]
    tasks = [f"{sub['id']}_{n}" for sub in subtopologies for n in range(sub["partitions"])]
    tasks += ["9_9"] * (dice.random() < 0.2)
    members = [random_member(dice, number, tasks) for number in range(dice.randint(1, 9))]
    config: Document = {"num.standby.replicas": dice.choice((0, 0, 1, 2, 5))}
    for key, values in (
        ("max.warmup.replicas", (0, 1, 3)),
        ("segue.max.learners.per.member", (0, 1, 2)),
        ("acceptable.recovery.lag", (0, 10_000)),
        ("learner.partial.rebalance", (True, False)),
        ("segue.spread.subtopologies", (True, False)),
    ):
        if dice.random() < 0.3:
            config[key] = dice.choice(values)
    group: Document = {"segue": "group/1", "now_ms": 5_000, "config": config, "subtopologies": subtopologies}
    group["members"] = members
    if dice.random() < 0.4:
        add_racks(dice, group)
    return group


def add_racks(dice: random.Random, group: Document) -> None:
    """Replicas of the tasks' inputs and members in racks, some of them unknown."""
    racks = "abcd"[: dice.randint(1, 4)]
    group["config"]["rack.aware.assignment.strategy"] = dice.choice(("min_traffic", "balance_subtopology", "none"))
    group["tasks"] = [
        {
            "id": f"{sub['id']}_{n}",
            "stateful": sub["stateful"],
            "partitions": [
                {"topic": topic, "partition": n, "racks": dice.sample(racks, dice.randint(0, min(2, len(racks))))}
                for topic in ("orders", "payments")[: dice.randint(1, 2)]
            ],
        }
        for sub in group["subtopologies"]
        for n in range(sub["partitions"])
    ]
    for member in group["members"]:
        if dice.random() < 0.9:
            member["rack"] = dice.choice(racks)


def random_subtopology(dice: random.Random, number: int) -> Document:
    sub: Document = {"id": number, "partitions": dice.randint(1, 14), "stateful": dice.random() < 0.7}
    if dice.random() < 0.2:
        sub["weight"] = dice.choice((0.5, 3, 1e6))
    if dice.random() < 0.2:
        sub["state_bytes"] = dice.choice((0, 1 << 40))
    return sub


def random_member(dice: random.Random, number: int, tasks: list[str]) -> Document:
    member: Document = {"id": f"member-{number}", "threads": dice.choice((0, 1, 1, 1, 2, 8))}
    if dice.random() < 0.4:
        member["process"] = f"process-{dice.randint(0, number)}"
    lags = {}
    for task in tasks:
        if dice.random() < 0.35:
            role = dice.choice((*ROLES, "active", "dormant"))
            if role != "dormant":
                member.setdefault(role, []).append(task)
            if role != "active" or dice.random() < 0.2:
                lags[task] = dice.choice(LAGS)
    if lags:
        member["lag"] = lags
    if dice.random() < 0.15:
        member["leaving"] = dice.choice(
            ({"since_ms": 0}, {"since_ms": 0, "deadline_ms": 1_000}, {"since_ms": 0, "deadline_ms": 90_000})
        )
    return member


def shuffled(group: Document, dice: random.Random) -> Document:
    other = copy.deepcopy(group)
    for rows in (
        other["members"],
        other["subtopologies"],
        other.get("tasks", []),
        *(m[role] for m in other["members"] for role in ROLES if role in m),
    ):
        dice.shuffle(rows)
    return other


def repeatable(group: Document) -> bool:
    """Carried out, the group is what the plan says: no claim on a task that is gone."""
    read = Group(group)
    claims = [task for member in group["members"] for role in ROLES for task in member.get(role, [])]
    return all(task in read.stateful for task in claims)


def judge_groups(tool: str, assignor: str, groups: list[Document], dice: random.Random) -> dict[int, str]:
    """index -> the first thing that does not hold."""
    plans = program.plans(tool, assignor, groups)
    found = {n: broken[0] for n, group in enumerate(groups) if (broken := faults(Group(group), plans[n]))}
    for n, plan in enumerate(plans):
        if plan["followup"]["reason"] == "fallback":
            found.setdefault(n, "the validator refused the plan, and the fallback answered")
    others = program.plans(tool, assignor, [shuffled(group, dice) for group in groups])
    for n, other in enumerate(others):
        if n not in found and placement(other) != placement(plans[n]):
            found[n] = "another order of the input gives another plan"
    if assignor not in MOVES_STATE_COLD:
        still = [n for n, group in enumerate(groups) if n not in found and repeatable(group)]
        again = program.plans(tool, assignor, [after(Group(groups[n]), plans[n], keep_dormant=True) for n in still])
        for n, plan in zip(still, again, strict=True):
            if placement(plan) != placement(plans[n]):
                found[n] = "carried out, with the same lags, the plan changes"
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--segue", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--assignor", action="append")
    options = parser.parse_args()
    passed = failed = 0
    for assignor in options.assignor or program.offered(options.segue):
        dice = random.Random(f"{options.seed} {assignor}")
        groups = [random_group(dice) for _ in range(options.count)]
        try:
            found = judge_groups(options.segue, assignor, groups, dice)
        except program.Refused as fault:
            found = dict.fromkeys(range(len(groups)), f"{fault}")
        for n, line in list(found.items())[:5]:
            print(f"FAIL groups seed {options.seed} number {n} [{assignor}]: {line}")
            print(f"     {json.dumps(groups[n])}")
        failed, passed = failed + len(found), passed + len(groups) - len(found)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
