# SPDX-License-Identifier: Apache-2.0
"""From members and partitions to assignments, without an exception: one would end the application's poll loop."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from segue._clients.fallback import keep_owners
from segue._clients.groups import assigned, groups
from segue._clients.members import Joined
from segue._clients.user_data import Partition
from segue._errors import AssignorError
from segue._group import ConfigValue, Group, Member
from segue._host import load
from segue._plan import Plan

log = logging.getLogger("segue")


class Planner:
    """An assignor of libsegue with its configuration. What is wrong with either is raised here, at the start."""

    def __init__(self, assignor: str, config: Mapping[str, ConfigValue]) -> None:
        self.assignor = assignor
        self.config = dict(config)
        self.host = load()
        self.host.assign(assignor, Group(config=self.config, members=(Member("probe"),)))

    def assign(self, members: Sequence[Joined], partitions: Sequence[Partition]) -> dict[str, set[Partition]]:
        """Every partition to one of its subscribers. A fault is logged and answered by the owners as they are."""
        try:
            return assigned([self.ask(group) for group in groups(members, partitions, self.config)])
        except Exception:
            log.exception(
                "%s: no plan; the owners keep their partitions, and those without one are dealt", self.assignor
            )
            return keep_owners(members, partitions)

    def ask(self, group: Group, wished: str | None = None) -> Plan:
        """libsegue's plan for a group, by the wished assignor where libsegue has it. Raises what libsegue says."""
        name = wished or self.assignor
        try:
            plan = self.host.assign(name, group, warn=False)
        except AssignorError:
            if name == self.assignor:
                raise
            log.warning("%s was wished for, and is not there; %s goes on", name, self.assignor)
            return self.ask(group)
        self._tell(name, plan)
        return plan

    @staticmethod
    def _tell(name: str, plan: Plan) -> None:
        if plan.report.fallback:
            log.warning("%s: the fallback answered in its place: %s", name, plan.report.text)
        log.info(
            "%s: %d partitions on %d members, %d moves",
            name,
            sum(len(row.active) for row in plan.members.values()),
            len(plan.members),
            plan.stats.moves,
        )
