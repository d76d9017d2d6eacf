# SPDX-License-Identifier: Apache-2.0
"""What every plan must hold by itself: R1-R3, R7, R8."""

from collections import Counter
from typing import Any

from judge.group import ROLES, Group

Document = dict[str, Any]
Holders = dict[str, dict[str, list[str]]]


def holders(group: Group, plan: Document) -> Holders:
    """role -> task -> the members that hold it so."""
    table: Holders = {role: {task: [] for task in group.stateful} for role in ROLES}
    for member in plan["members"]:
        for role in ROLES:
            for task in member[role]:
                table[role].setdefault(task, []).append(member["id"])
    return table


def placement(plan: Document) -> dict[str, tuple[tuple[str, ...], ...]]:
    return {m["id"]: tuple(tuple(sorted(m[role])) for role in ROLES) for m in plan["members"]}


def faults(group: Group, plan: Document) -> list[str]:
    if [member["id"] for member in plan["members"]] != list(group.members):
        return ["R1 the plan's members are not the group's, once each and in its order"]
    held = holders(group, plan)
    return [
        *unknown_tasks(group, held),
        *(fault for task in group.stateful for fault in task_faults(group, held, task)),
        *member_faults(group, plan),
        *cap_faults(group, plan),
    ]


def unknown_tasks(group: Group, held: Holders) -> list[str]:
    return [f"R1 no such task: {task}" for role in ROLES for task in held[role] if task not in group.stateful]


def task_faults(group: Group, held: Holders, task: str) -> list[str]:
    found = []
    active, learner, standby = (held[role][task] for role in ("active", "learner", "standby"))
    if len(active) != 1:
        found.append(f"R1 {task} is active on {active}")
    processes = Counter(group.process(name) for name in active + learner + standby)
    if processes and max(processes.values()) > 1:
        found.append(f"R2 two copies of {task} lie in one process")
    if learner + standby and not group.stateful[task]:
        found.append(f"R3 {task} has no state, and copies on {learner + standby}")
    if len(learner) > 1:
        found.append(f"R3 {task} is learned twice, by {learner}")
    return found


def member_faults(group: Group, plan: Document) -> list[str]:
    anybody = any(group.threads(name) > 0 for name in group.members)
    return [
        f"R7 {member['id']} has no thread and {len(member['active'])} actives"
        for member in plan["members"]
        if anybody and group.threads(member["id"]) == 0 and member["active"]
    ]


def cap_faults(group: Group, plan: Document) -> list[str]:
    learning = {member["id"]: len(member["learner"]) for member in plan["members"]}
    whole, each = group.limit("max.warmup.replicas"), group.limit("segue.max.learners.per.member")
    found = []
    if whole is not None and sum(learning.values()) > whole:
        found.append(f"R8 {sum(learning.values())} learners, and {whole} are allowed")
    found += [
        f"R8 {n} learners on {name}, and {each} are allowed"
        for name, n in learning.items()
        if each is not None and n > each
    ]
    return found
