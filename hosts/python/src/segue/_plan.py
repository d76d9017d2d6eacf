# SPDX-License-Identifier: Apache-2.0
"""What an assignor answers."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from types import MappingProxyType
from typing import Any

from segue._errors import InputError


@dataclass(frozen=True, slots=True)
class Report:
    """What happened to a plan on its way.

    fallback: the plan is not the assignor's but the fallback's; status, rule, row and text then say why.
    status: "ok", the assignor's fault, or "bad-plan" when its plan broke a rule; rule: number of that rule R1-R9.
    row: index of the task or member that breaks it, in canonical order. elapsed_ns: nanoseconds inside the plugin.
    plugin: path of the plugin that has the assignor. faults: those of the assignor since it was opened or reinstated.
    aside: it is not asked any more, until `Host.reinstate`.
    """

    fallback: bool
    status: str
    rule: int | None
    row: int | None
    text: str
    elapsed_ns: int
    plugin: str = ""
    faults: int = 0
    aside: bool = False


@dataclass(frozen=True, slots=True)
class Metrics:
    """What a host has counted since it was opened.

    plans: calls that were answered with a plan. fallbacks: of them, by the fallback; why: errors (the assignor's own),
    refused (its plan broke a rule), late (not back within its budget and half a second), died (its process), unstarted
    (no process or thread for it), passed_over (put aside before). aside: assignors that are put aside now.
    started, processes: those of isolated plugins, in all and now. threads: given up, and not back yet.
    """

    plans: int
    fallbacks: int
    errors: int
    refused: int
    late: int
    died: int
    unstarted: int
    passed_over: int
    aside: int
    started: int
    processes: int
    threads: int


@dataclass(frozen=True, slots=True)
class MemberPlan:
    """The ids of the tasks that a member should hold, by role, sorted by subtopology and partition."""

    id: str
    active: tuple[str, ...]
    standby: tuple[str, ...]
    learner: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Decision:
    """Why a task goes, stays or waits.

    kind: `keep-back`, `learn`, `hand-over`, `place`, `force`, `standby` or `drop`. reason: a stable word such as
    `below-quota`. giver and taker: the document's `from` and `to`, None where there is no such member.
    text: the sentence for people.
    """

    task: str
    kind: str
    reason: str
    giver: str | None
    taker: str | None
    text: str

    def __str__(self) -> str:
        return f"{self.task} {self.kind}: {self.text}"


@dataclass(frozen=True, slots=True)
class Followup:
    """Whether a later rebalance is needed, when at the latest (None: when a learner says it is ready), and why."""

    needed: bool
    at_ms: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class Stats:
    """Figures of a plan.

    moves: actives that change owner now. min_moves: the proven least that reaches the balanced target from here.
    extra_moves: moves bought beyond that, by configuration. held_back: tasks that wait for a learner's slot.
    spread: largest minus smallest active count per thread among staying members. imbalance and min_imbalance, traffic
    and min_traffic: by weight and across racks, with their proven bounds. optimal: False when time ran out.
    elapsed_us: microseconds inside the plugin. A figure that this libsegue does not give has its default.
    """

    moves: int = 0
    min_moves: int = 0
    learners: int = 0
    extra_moves: int = 0
    held_back: int = 0
    spread: float = 0.0
    imbalance: float = 0.0
    min_imbalance: float = 0.0
    traffic: int = 0
    min_traffic: int = 0
    optimal: bool = True
    elapsed_us: float = 0.0


class Plan(dict[str, Any]):
    """A plan document as a dict, with its parts in types and the report beside its keys.

    The typed parts are read from the document when they are first asked for; changing the dict later changes the dict.
    """

    report: Report

    def __init__(self, document: dict[str, Any], report: Report) -> None:
        super().__init__(document)
        self.report = report

    @cached_property
    def members(self) -> Mapping[str, MemberPlan]:
        """By the member's id, in the group's order."""
        rows = (
            MemberPlan(row["id"], tuple(row["active"]), tuple(row["standby"]), tuple(row["learner"]))
            for row in self["members"]
        )
        return MappingProxyType({row.id: row for row in rows})

    @cached_property
    def decisions(self) -> tuple[Decision, ...]:
        """One for each task whose place or role changes, or that was held back."""
        return tuple(
            Decision(row["task"], row["kind"], row["reason"], row["from"], row["to"], row["text"])
            for row in self["decisions"]
        )

    @cached_property
    def followup(self) -> Followup:
        return Followup(**self["followup"])

    @cached_property
    def stats(self) -> Stats:
        known = {one.name for one in fields(Stats)}
        return Stats(**{key: value for key, value in self["stats"].items() if key in known})

    def explain(self, *, task: str | None = None, member: str | None = None) -> tuple[Decision, ...]:
        """The decisions, or those about one task or one member. None about it: it stays as it was.

        Raises InputError for a task or member that the plan does not have.
        """
        self._want(member, self.members.keys(), "member")
        self._want(task, {one for row in self.members.values() for one in row.active}, "task")
        return tuple(
            one for one in self.decisions if task in (None, one.task) and member in (None, one.giver, one.taker)
        )

    @staticmethod
    def _want(name: str | None, known: Collection[str], what: str) -> None:
        if name is not None and name not in known:
            some = ", ".join(sorted(known)[:8]) or "none"
            raise InputError(f"{what}: the group has no {name!r}; it has {some}", code="bad-argument")


@dataclass(frozen=True, slots=True)
class Recorded:
    """A plan with what was asked for it.

    frame: both as one frame of a record: group, configuration and plan, with names but without anybody's data. A file
    of such frames, one behind the other, is what `segue replay` reads.
    """

    plan: Plan
    frame: bytes


@dataclass(frozen=True, slots=True)
class Assignor:
    """An assignor that can be asked for a plan.

    cold: moves state without replaying it first, a baseline to compare with. knows_leaving: drains leaving members.
    loose: promises less than the others, a baseline too. plugin: path of the file that has it; plugin_name and
    plugin_version: what that says of itself.
    """

    name: str
    version: str
    summary: str
    plugin: str
    cold: bool
    knows_leaving: bool
    plugin_name: str = ""
    plugin_version: str = ""
    loose: bool = False


@dataclass(frozen=True, slots=True)
class Plugin:
    """A file with assignors. abi: the version of the interface that it speaks, 0 before it is first needed."""

    name: str
    version: str
    path: str
    abi: int
