# SPDX-License-Identifier: Apache-2.0
"""Runs one case document: a group, and steps of what changes and what the next plan is expected to be."""

import copy
from typing import Any

from judge import program
from judge.group import ROLES, Group, after, apply_change
from judge.rules import faults, holders, placement

Document = dict[str, Any]


def run_case(tool: str, case: Document, assignor: str) -> list[str]:
    """What fell short, one line each."""
    document, found = copy.deepcopy(case["group"]), []
    for number, step in enumerate(case["steps"], 1):
        group = Group(apply_change(document, step.get("change", {})))
        plan = program.plan(tool, assignor, group.document)
        broken = faults(group, plan) or unmet(tool, assignor, group, plan, step.get("expect", {}))
        found += [f"step {number}: {line}" for line in broken]
        document = after(
            group, plan, caught_up=step.get("catch_up", False), keep_dormant=step.get("keep_dormant", False)
        )
    return found


def unmet(tool: str, assignor: str, group: Group, plan: Document, expect: Document) -> list[str]:
    return [
        *unmet_lists(plan, expect),
        *unmet_counts(plan, expect),
        *unmet_totals(group, plan, expect),
        *unmet_balance(group, plan, expect),
        *(unmet_end(tool, assignor, group, expect["converge"]) if "converge" in expect else []),
    ]


def unmet_lists(plan: Document, expect: Document) -> list[str]:
    rows = {member["id"]: member for member in plan["members"]}
    return [
        f"{role} of {name} is {rows[name][role]}, expected {tasks}"
        for role in ROLES
        for name, tasks in expect.get(role, {}).items()
        if sorted(rows[name][role]) != sorted(tasks)
    ]


def unmet_counts(plan: Document, expect: Document) -> list[str]:
    rows = {member["id"]: member for member in plan["members"]}
    found = []
    for role in ROLES:
        for name, wanted in expect.get(f"{role}_count", {}).items():
            least, most = wanted if isinstance(wanted, list) else (wanted, wanted)
            if not least <= len(rows[name][role]) <= most:
                found.append(f"{name} has {len(rows[name][role])} {role}, expected {wanted}")
    return found


def moved(group: Group, plan: Document) -> int:
    active = holders(group, plan)["active"]
    return sum(bool(owners) and active[task][0] not in owners for task, owners in group.owners.items())


def unmet_totals(group: Group, plan: Document, expect: Document) -> list[str]:
    got = {
        "learner_total": sum(len(member["learner"]) for member in plan["members"]),
        "moves": moved(group, plan),
        "followup": plan["followup"]["needed"],
    }
    return [
        f"{key} is {value}, expected {expect[key]}"
        for key, value in got.items()
        if key in expect and expect[key] != value
    ]


def unmet_balance(group: Group, plan: Document, expect: Document) -> list[str]:
    rows = {member["id"]: member["active"] for member in plan["members"]}
    found = []
    if expect.get("quota"):
        for name, (least, most) in group.share(len(group.stateful)).items():
            if not least <= len(rows[name]) <= most:
                found.append(f"{name} has {len(rows[name])} actives, its quota is {least} to {most}")
    widest = expect.get("subtopology_spread_max")
    if widest is not None:
        for sub in {task.rpartition("_")[0] for task in group.stateful}:
            counts = [sum(task.rpartition("_")[0] == sub for task in rows[name]) for name in group.staying]
            if max(counts) - min(counts) > widest:
                found.append(f"subtopology {sub} is spread {counts}")
    return found


def unmet_end(tool: str, assignor: str, group: Group, expect: Document) -> list[str]:
    """Lets every copy catch up and plans again until nothing changes."""
    moves = built = rounds = 0
    now, last = group, None
    while rounds < expect.get("limit", 200):
        plan = program.plan(tool, assignor, now.document)
        if broken := faults(now, plan):
            return [f"round {rounds + 1}: {broken[0]}"]
        if placement(plan) == last:
            return [*unmet_costs(group, expect, rounds, moves, built), *unmet_balance(now, plan, expect)]
        moves, built, rounds, last = (
            moves + moved(now, plan),
            built + copies_built(now, plan),
            rounds + 1,
            placement(plan),
        )
        now = Group(after(now, plan, caught_up=True))
    return [f"no end in {rounds} rounds"]


def copies_built(group: Group, plan: Document) -> int:
    table = holders(group, plan)
    places = ((task, name) for role in ("learner", "standby") for task, names in table[role].items() for name in names)
    return sum(not copy_in_process(group, task, group.process(name)) for task, name in places)


def copy_in_process(group: Group, task: str, process: str) -> bool:
    return any(group.process(name) == process and group.lag(name, task) != "absent" for name in group.members)


def unmet_costs(group: Group, expect: Document, rounds: int, moves: int, built: int) -> list[str]:
    limits = {"rounds": expect.get("rounds_max"), "state copies": expect.get("built_max"), "moves": expect.get("moves")}
    if limits["moves"] == "min":
        limits["moves"] = least_moves(group)
    spent = {"rounds": rounds, "state copies": built, "moves": moves}
    return [
        f"{spent[key]} {key}, at most {most} expected"
        for key, most in limits.items()
        if most is not None and spent[key] > most
    ]


def least_moves(group: Group) -> int:
    """Owned tasks that cannot stay when every staying member ends within its quota."""
    single = [owners[0] for owners in group.owners.values() if len(owners) == 1]
    share = group.share(len(group.stateful))
    owned = {name: single.count(name) for name in share}
    spare = len(group.stateful) - sum(least for least, _ in share.values())
    above = sum(owned[name] > least and most > least for name, (least, most) in share.items())
    kept = sum(min(owned[name], share[name][0]) for name in share) + min(spare, above)
    orphans = len(group.stateful) - sum(owned.values())
    return sum(owned.values()) - kept + orphans
