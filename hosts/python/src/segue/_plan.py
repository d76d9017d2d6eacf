# SPDX-License-Identifier: Apache-2.0
"""What an assignor answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Report:
    """What happened to a plan on its way.

    fallback: the plan is not the assignor's but the fallback's; status, rule, row and text then say why.
    status: "ok", the assignor's fault, or "bad-plan" when its plan broke a rule; rule: number of that rule R1-R9.
    row: index of the task or member that breaks it, in canonical order. elapsed_ns: nanoseconds inside the plugin.
    """

    fallback: bool
    status: str
    rule: int | None
    row: int | None
    text: str
    elapsed_ns: int


class Plan(dict[str, Any]):
    """A plan document as a dict, with the report beside it."""

    report: Report

    def __init__(self, document: dict[str, Any], report: Report) -> None:
        super().__init__(document)
        self.report = report


@dataclass(frozen=True, slots=True)
class Assignor:
    """An assignor that can be asked for a plan.

    cold: moves state without replaying it first, a baseline to compare with. knows_leaving: drains leaving members.
    plugin: path of the file that has it.
    """

    name: str
    version: str
    summary: str
    plugin: str
    cold: bool
    knows_leaving: bool
