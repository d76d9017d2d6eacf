# SPDX-License-Identifier: Apache-2.0
"""What workers and leader say beside Faust's own fields: one more key in the same JSON document.

Faust's own assignor reads past a key that it does not know, so that a fleet may mix both. What cannot be read counts
as not said; nothing here raises for what others sent.

    {"assignment": …, "url": …,                                        Faust's own
     "segue": {"v": 1, "round": 7,
               "learner": {"app-counts-changelog": [2]},               standbys that are to take over
               "ready": {"app-counts-changelog": [2]},                 standbys that have caught up
               "copies": {"app-counts-changelog": {"2": [40, 43]}},    next offset to read, end of the changelog
               "instance": "0b7c6a0e-…", "asked": 2, "leaving": {"since_ms": 0}}}

A worker says all of it when it joins; the leader answers each with `round`, its `learner`, `owned`: how many tasks
it has that others read as well, and `nobody_stays` where all are leaving. No clock runs in what a worker says, but how
far copies are is only news of a join that happens anyway: `segue._faust.trigger` asks for one when something is ready,
and for nothing less.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from segue._clients.user_data import Partition, alone_fields, by_topic, says_nobody_stays, voice_fields, voice_of
from segue._drain.membership import Voice

KEY = "segue"
VERSION = 1


class Copy(NamedTuple):
    """A copy of a table's partition on a worker's disk.

    position: the next offset of the changelog to read; None where it is not known.
    end: the end of the changelog as the worker knows it; None where nobody reads.
    """

    position: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """Our part of a document. A worker of Faust's own assignor says nothing: all as the defaults are."""

    round: int = 0
    learner: frozenset[Partition] = field(default_factory=frozenset)
    ready: frozenset[Partition] = field(default_factory=frozenset)
    copies: Mapping[Partition, Copy] = field(default_factory=dict)
    voice: Voice = field(default_factory=Voice)
    owned: int | None = None
    nobody_stays: bool = False


def extend(document: bytes, said: Said) -> bytes:
    """Faust's document with our key. The same bytes for the same content."""
    whole = json.loads(document)
    whole[KEY] = _fields(said)
    return json.dumps(whole, sort_keys=True, separators=(",", ":")).encode()


def read(document: bytes | None) -> Said | None:
    """Our part; None where there is none."""
    try:
        part = json.loads(document or b"{}").get(KEY)
    except (ValueError, AttributeError, RecursionError):
        return None
    if not isinstance(part, dict) or part.get("v") != VERSION:
        return None
    return Said(
        round=_natural(part.get("round")) or 0,
        learner=partitions(part.get("learner")),
        ready=partitions(part.get("ready")),
        copies=dict(_copies(part.get("copies"))),
        voice=voice_of(part),
        owned=_natural(part.get("owned")),
        nobody_stays=says_nobody_stays(part),
    )


def partitions(topics: Any) -> frozenset[Partition]:
    """The reverse of `by_topic`, of whatever was sent."""
    if not isinstance(topics, Mapping):
        return frozenset()
    return frozenset(
        (topic, number)
        for topic, numbers in topics.items()
        if isinstance(topic, str) and isinstance(numbers, (list, tuple))
        for number in numbers
        if _natural(number) is not None and number < 2**31
    )


def _fields(said: Said) -> dict[str, Any]:
    fields: dict[str, Any] = {"v": VERSION, "round": said.round, **voice_fields(said.voice)}
    fields |= alone_fields(said.nobody_stays)
    if said.learner:
        fields["learner"] = by_topic(said.learner)
    if said.ready:
        fields["ready"] = by_topic(said.ready)
    for (topic, number), copy in said.copies.items():
        fields.setdefault("copies", {}).setdefault(topic, {})[str(number)] = list(copy)
    if said.owned is not None:
        fields["owned"] = said.owned
    return fields


def _copies(topics: Any) -> Iterable[tuple[Partition, Copy]]:
    for topic, rows in topics.items() if isinstance(topics, dict) else ():
        for number, row in rows.items() if isinstance(rows, dict) else ():
            if number.isascii() and number.isdecimal() and len(number) < 10 and isinstance(row, list) and len(row) == 2:
                yield (topic, int(number)), Copy(_natural(row[0]), _natural(row[1]))


def _natural(value: Any) -> int | None:
    """A number as Kafka counts offsets and JSON can say it."""
    return value if type(value) is int and 0 <= value <= 2**53 else None
