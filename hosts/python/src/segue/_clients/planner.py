# SPDX-License-Identifier: Apache-2.0
"""From members and partitions to assignments, without an exception: one would end the application's poll loop."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from segue._clients.fallback import keep_owners
from segue._clients.groups import assigned, groups
from segue._clients.keys import check_keys
from segue._clients.members import Joined
from segue._clients.user_data import Partition
from segue._drain import documents, settings
from segue._drain.led import Led
from segue._drain.membership import News, Voice
from segue._drain.offer import Offer
from segue._drain.swap import Choice
from segue._errors import ConfigError
from segue._group import ConfigValue, Group, InputPartition, Leaving, Member
from segue._host import load
from segue._plan import Metrics, Plan, Recorded

log = logging.getLogger("segue")

_ASSIGNOR = "segue.assignor"
_ISOLATION = "segue.isolation"
_MAX_FAULTS = "segue.max.faults"
_RACK_STRATEGY = "rack.aware.assignment.strategy"


def selected(assignor: str | None, config: Mapping[str, ConfigValue]) -> str:
    """The assignor's name: as given, else `segue.assignor`, else SEGUE_ASSIGNOR in the environment, else learner."""
    return assignor or str(config.get(_ASSIGNOR) or os.environ.get("SEGUE_ASSIGNOR") or "learner")


def _isolation(config: Mapping[str, ConfigValue]) -> str | None:
    word = config.get(_ISOLATION)
    return None if word is None else str(word)


def _max_faults(config: Mapping[str, ConfigValue]) -> int | None:
    number = config.get(_MAX_FAULTS)
    if number is None:
        return None
    try:
        return int(str(number))
    except ValueError as fault:
        raise ConfigError(f"{_MAX_FAULTS} is {number!r}: it must be a whole number", code="bad-config") from fault


@dataclass(frozen=True, slots=True)
class Decided:
    """What each member is to hold, and how that came about. frames: what was asked and answered, of each group."""

    assigned: dict[str, set[Partition]]
    led: Led
    frames: tuple[bytes, ...] = ()


class Planner:
    """An assignor of libsegue with its configuration. What is wrong with either is raised here, at the start."""

    kept = 0
    """How often in this process the owners kept their partitions because there was no plan."""

    def __init__(self, assignor: str | None, config: Mapping[str, ConfigValue]) -> None:
        check_keys(config)
        self.assignor = selected(assignor, config)
        self.settings = settings.Settings.of(config)
        self.config = settings.without(config)
        self.host = load(
            record_path=self.settings.record_path, isolation=_isolation(config), max_faults=_max_faults(config)
        )
        self.host.assign(self.assignor, Group(config=self.config, members=(Member("probe"),)))
        self.offer = Offer(self.assignor, {one.name: one for one in self.host.assignors()})

    def heeds_racks(self, racks: Iterable[str | None]) -> bool:
        """Whether the racks of partitions count: there is a strategy for them, and members say where they stand."""
        return self.config.get(_RACK_STRATEGY, "none") != "none" and any(rack is not None for rack in racks)

    def assign(
        self,
        members: Sequence[Joined],
        partitions: Sequence[Partition],
        news: News,
        inputs: Mapping[Partition, InputPartition],
    ) -> Decided:
        """Every partition to one of its subscribers. A fault is logged and answered by the owners as they are. inputs:
        partitions whose racks are known.
        """
        assignor, leaving = self.heeded(news)
        size = Size(len(partitions), len(members))
        try:
            tell_if_all_leave([member.claim.voice for member in members], leaving)
            asked = groups(members, partitions, self.config, leaving, documents.now_ms(), inputs)
            answers = [self.ask(group, assignor) for group in asked]
            plans = [one.plan for one in answers]
            return Decided(assigned(plans), self.led(assignor, plans, size), tuple(one.frame for one in answers))
        except Exception as fault:
            log.exception("%s: no plan; the owners keep their partitions, and those without one are dealt", assignor)
            return Decided(keep_owners(members, partitions), self.kept_owners(assignor, size, fault))

    def heeded(self, news: News) -> tuple[str, Mapping[str, Leaving]]:
        """The assignor that counts, the one wished for where libsegue has it; and who leaves, where it heeds that."""
        assignor = Choice.of(self.assignor, self.offer.names, news.swap).assignor
        return assignor, news.leaving if self.offer.heeds_marks(assignor) else {}

    def ask(self, group: Group, assignor: str) -> Recorded:
        """libsegue's plan for a group. Raises what libsegue says."""
        recorded = self.host.assign_recorded(assignor, group, warn=False)
        _tell(assignor, recorded.plan)
        return recorded

    def metrics(self) -> Metrics:
        """How libsegue came to its plans."""
        return self.host.metrics()

    def kept_owners(self, assignor: str, size: Size, fault: Exception) -> Led:
        """What a leader tells that had no plan."""
        Planner.kept += 1
        return self.led(assignor, [], size, f"{type(fault).__name__}: {fault}")

    def led(self, assignor: str, plans: Sequence[Plan], size: Size, fault: str | None = None) -> Led:
        """What a leader tells of its plans."""
        plugin, version = self.offer.plugin(assignor)
        follow = [plan.followup for plan in plans if plan.followup.needed]
        faults = [_fault(plan) for plan in plans if plan.report.fallback]
        return Led(
            at_ms=documents.now_ms(),
            assignor=assignor,
            plugin=plugin,
            plugin_version=version,
            fault=fault or (faults[0] if faults else None),
            tasks=size.tasks,
            members=size.members,
            moves=sum(plan.stats.moves for plan in plans),
            min_moves=sum(plan.stats.min_moves for plan in plans),
            learners=sum(plan.stats.learners for plan in plans),
            followup_ms=min((one.at_ms for one in follow if one.at_ms is not None), default=None),
            followup=follow[0].reason if follow else None,
        )


@dataclass(frozen=True, slots=True)
class Size:
    """Of a group."""

    tasks: int
    members: int


def tell_if_all_leave(voices: Sequence[Voice], leaving: Mapping[str, Leaving]) -> None:
    if voices and all(voice.instance in leaving for voice in voices):
        log.warning("all %d members are marked as leaving: nobody is there to take over", len(voices))


def _fault(plan: Plan) -> str:
    rule = f" R{plan.report.rule}" if plan.report.rule else ""
    return f"{plan.report.status}{rule}: {plan.report.text}"


def _tell(assignor: str, plan: Plan) -> None:
    if plan.report.fallback:
        log.warning("%s: the fallback answered in its place: %s", assignor, plan.report.text)
    log.info(
        "%s: %d partitions on %d members, %d moves",
        assignor,
        sum(len(row.active) for row in plan.members.values()),
        len(plan.members),
        plan.stats.moves,
    )
