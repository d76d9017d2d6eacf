# SPDX-License-Identifier: Apache-2.0
"""A group document with its shorthands expanded, and the next one that a plan leads to."""

import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

Document = dict[str, Any]
ROLES = ("active", "standby", "learner")
FRESH_COPY_LAG = 100_000


@dataclass(frozen=True)
class Group:
    document: Document

    @cached_property
    def stateful(self) -> dict[str, bool]:
        """Each task, and whether it owns state."""
        tasks = {
            f"{sub['id']}_{partition}": bool(sub.get("stateful", True))
            for sub in self.document.get("subtopologies", [])
            for partition in range(sub["partitions"])
        }
        tasks.update((task["id"], bool(task.get("stateful", True))) for task in self.document.get("tasks", []))
        return tasks

    @cached_property
    def members(self) -> dict[str, Document]:
        return {member["id"]: member for member in self.document["members"]}

    @cached_property
    def owners(self) -> dict[str, list[str]]:
        owners: dict[str, list[str]] = {task: [] for task in self.stateful}
        for name, member in self.members.items():
            for task in member.get("active", []):
                if task in owners:
                    owners[task].append(name)
        return owners

    @cached_property
    def staying(self) -> list[str]:
        return [name for name, m in self.members.items() if not m.get("leaving") and self.threads(name) > 0]

    def threads(self, name: str) -> int:
        return int(self.members[name].get("threads", 1))

    def process(self, name: str) -> str:
        return str(self.members[name].get("process", name))

    def limit(self, key: str) -> int | None:
        value = self.document.get("config", {}).get(key)
        return None if value is None else int(value)

    def lag(self, name: str, task: str) -> int | str | None:
        """How far a member's copy of the task is behind: a number, None for unknown, "absent" for no copy."""
        member = self.members[name]
        if task in member.get("lag", {}):
            known: int | None = member["lag"][task]
            return known
        if task in member.get("active", []):
            return 0
        return None if task in member.get("standby", []) or task in member.get("learner", []) else "absent"

    def share(self, tasks: int) -> dict[str, tuple[int, int]]:
        """Floor and ceiling of each staying member's part of so many tasks, by threads."""
        threads = sum(self.threads(name) for name in self.staying)
        exact = {name: tasks * self.threads(name) for name in self.staying}
        return {name: (part // threads, -(-part // threads)) for name, part in exact.items()}


def after(group: Group, plan: Document, *, caught_up: bool = False, keep_dormant: bool = False) -> Document:
    """The group document of the next rebalance, when the plan was carried out."""
    document = copy.deepcopy(group.document)
    planned = {member["id"]: member for member in plan["members"]}
    for member in document["members"]:
        row = planned[member["id"]]
        member.update({role: list(row[role]) for role in ROLES})
        member["lag"] = lags_after(group, member, caught_up, keep_dormant)
        if not member["lag"]:
            del member["lag"]
    return document


def lags_after(group: Group, member: Document, caught_up: bool, keep_dormant: bool) -> Document:
    name = member["id"]
    lags: Document = {}
    held = {task for role in ROLES for task in member[role]}
    for task in group.stateful:
        if task in held and group.stateful[task]:
            lag = 0 if caught_up else lag_of_held(group, name, task)
            if lag != 0 or task not in member["active"]:
                lags[task] = lag
        elif keep_dormant and group.lag(name, task) != "absent":
            lags[task] = group.lag(name, task)
    return lags


def lag_of_held(group: Group, name: str, task: str) -> int | None:
    lag = group.lag(name, task)
    if not isinstance(lag, str):
        return lag
    beside = [group.lag(other, task) for other in group.members if group.process(other) == group.process(name)]
    return min((lag for lag in beside if isinstance(lag, int)), default=FRESH_COPY_LAG)


def apply_change(document: Document, change: Document) -> Document:
    """The group document after what a case lets happen between two rebalances."""
    gone = set(change.get("remove", []))
    members = [m for m in document["members"] if m["id"] not in gone] + copy.deepcopy(change.get("join", []))
    for member in members:
        if member["id"] in change.get("lag", {}):
            member["lag"] = {**member.get("lag", {}), **change["lag"][member["id"]]}
        if member["id"] in change.get("leaving", {}):
            member["leaving"] = change["leaving"][member["id"]]
    config = {**document.get("config", {}), **change.get("config", {})}
    now = change.get("now_ms", document.get("now_ms", 0))
    return {**document, "members": members, "config": config, "now_ms": now}
