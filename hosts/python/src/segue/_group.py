# SPDX-License-Identifier: Apache-2.0
"""The group document in types: what the leader of a group knows at a rebalance.

A field that is absent in a document has the default here. Values are what libsegue accepts; it is libsegue that checks
them, so that a typed group and a dict are refused with the same words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from segue._document import Document
from segue._errors import DocumentError

ConfigValue = str | int | float | bool

KIND = "group/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaving(Document):
    """A member's mark that it leaves, in milliseconds. No deadline: it leaves when its state has moved."""

    since_ms: int
    deadline_ms: int | None = None


@dataclass(frozen=True, slots=True)
class InputPartition(Document):
    """A partition that a task reads, and the racks of its replicas."""

    topic: str
    partition: int
    racks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Subtopology(Document):
    """Shorthand for the tasks `ID_0 … ID_(partitions-1)`, alike in all else."""

    id: int | str
    partitions: int
    stateful: bool = field(default=True, kw_only=True)
    weight: float = field(default=1, kw_only=True)
    state_bytes: int | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class Task(Document):
    """A task by itself. It overrides one of the same id that a subtopology made.

    weight: relative processing cost, above 0. state_bytes: size of its state, None when it is unknown.
    """

    id: str
    stateful: bool = field(default=True, kw_only=True)
    weight: float = field(default=1, kw_only=True)
    state_bytes: int | None = field(default=None, kw_only=True)
    partitions: tuple[InputPartition, ...] = field(default=(), kw_only=True)


@dataclass(frozen=True, slots=True)
class Member(Document):
    """A unit of assignment: one consumer, or a client with threads.

    process: where its state lives, None for one of its own. active, standby, learner: ids of the tasks it holds now.
    lag: for a copy of state on its disk the records still to replay, None where it could not say.
    """

    id: str
    process: str | None = field(default=None, kw_only=True)
    threads: int = field(default=1, kw_only=True)
    rack: str | None = field(default=None, kw_only=True)
    tags: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    active: tuple[str, ...] = field(default=(), kw_only=True)
    standby: tuple[str, ...] = field(default=(), kw_only=True)
    learner: tuple[str, ...] = field(default=(), kw_only=True)
    lag: Mapping[str, int | None] = field(default_factory=dict, kw_only=True)
    leaving: Leaving | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Group(Document):
    """Everything that a plan depends on. `config` has Kafka's dotted names and ours; `now_ms` is the leader's clock."""

    members: tuple[Member, ...] = ()
    subtopologies: tuple[Subtopology, ...] = ()
    tasks: tuple[Task, ...] = ()
    config: Mapping[str, ConfigValue] = field(default_factory=dict)
    now_ms: int = 0

    def document(self) -> dict[str, Any]:
        return {"segue": KIND, **super(Group, self).document()}

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Group:
        """The typed group of a group document. Raises DocumentError with the place of what does not belong there."""
        plain = dict(document) if isinstance(document, Mapping) else document
        if isinstance(plain, dict) and (kind := plain.pop("segue", KIND)) != KIND:
            raise DocumentError(f"segue: {KIND!r} is wanted here, not {kind!r}", code="bad-document")
        return super(Group, cls).of(plain)
