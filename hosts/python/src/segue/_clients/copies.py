# SPDX-License-Identifier: Apache-2.0
"""What members with state say when they join, and what the leader answers. The rules of user_data.py hold here too.

Partitions are numbers: partition 3 of all input topics and of the changelog is one task, "0_3".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from segue._clients.user_data import (
    alone_fields,
    decode,
    encode,
    natural,
    naturals,
    rack_fields,
    rack_of,
    voice_fields,
    voice_of,
)
from segue._drain.membership import Voice
from segue._group import Leaving

Partitions = frozenset[int]


@dataclass(frozen=True, slots=True)
class Answer:
    """What the leader gives a member. active travels as the client's own assignment, the rest in the bytes beside
    it.
    """

    active: Partitions = frozenset()
    standby: Partitions = frozenset()
    learner: Partitions = frozenset()
    round: int = 0


@dataclass(frozen=True, slots=True)
class Copies:
    """What a member holds.

    process: whose disk the state is on. round: of the assignment that gave it this, as in `Claim`.
    lag: for copies, and for what is owned but not started; coarse, None where it is not known. One without a role
    is dormant.
    leaving, asked: see `Voice`. rack: as in `Claim`. size: bytes of what it owns; coarse, and only where known.
    """

    process: str = ""
    active: Partitions = frozenset()
    standby: Partitions = frozenset()
    learner: Partitions = frozenset()
    round: int = 0
    lag: Mapping[int, int | None] = field(default_factory=dict)
    leaving: Leaving | None = None
    asked: int = 0
    rack: str | None = None
    size: Mapping[int, int] = field(default_factory=dict)

    @classmethod
    def of(
        cls, answer: Answer, process: str, lag: Mapping[int, int | None], size: Mapping[int, int] | None = None
    ) -> Copies:
        return cls(process, answer.active, answer.standby, answer.learner, answer.round, lag, size=size or {})

    @property
    def voice(self) -> Voice:
        """What it says about leaving; the process is what marks know it by."""
        return Voice(self.process or None, self.leaving, self.asked)


def encode_copies(copies: Copies) -> bytes:
    """`{"active":[0,1],"lag":{"2":0},"learner":[2],"process":"…","round":3,"v":1}`; what is empty is left out."""
    parts: dict[str, Any] = {
        "active": sorted(copies.active),
        "standby": sorted(copies.standby),
        "learner": sorted(copies.learner),
        "lag": {str(partition): lag for partition, lag in copies.lag.items()},
        "size": {str(partition): size for partition, size in copies.size.items()},
        **voice_fields(Voice(None, copies.leaving, copies.asked)),
        **rack_fields(copies.rack),
    }
    return encode({"process": copies.process, "round": copies.round} | {k: v for k, v in parts.items() if v})


def decode_copies(data: bytes | None) -> Copies:
    """What the bytes say; of what cannot be read, nothing: a member without state."""
    document = decode(data)
    process, voice = document.get("process"), voice_of(document)
    return Copies(
        process=process if isinstance(process, str) and "\0" not in process else "",
        active=frozenset(naturals(document.get("active"))),
        standby=frozenset(naturals(document.get("standby"))),
        learner=frozenset(naturals(document.get("learner"))),
        round=natural(document.get("round")) or 0,
        lag=_numbers(document.get("lag")),
        size={partition: size for partition, size in _numbers(document.get("size")).items() if size is not None},
        leaving=voice.leaving,
        asked=voice.asked,
        rack=rack_of(document),
    )


def encode_answer(answer: Answer, nobody_stays: bool = False) -> bytes:
    """`{"learner":[2],"round":4,"v":1}`, and `"nobody_stays":true` as in `encode_round`."""
    parts = {"standby": sorted(answer.standby), "learner": sorted(answer.learner)}
    return encode({"round": answer.round} | {k: v for k, v in parts.items() if v} | alone_fields(nobody_stays))


def decode_answer(active: Partitions, data: bytes | None) -> Answer:
    """The leader's answer, beside what the client's own assignment gives."""
    document = decode(data)
    learner = frozenset(naturals(document.get("learner"))) - active
    standby = frozenset(naturals(document.get("standby"))) - active - learner
    return Answer(active, standby, learner, natural(document.get("round")) or 0)


def _numbers(value: Any) -> dict[int, int | None]:
    if not isinstance(value, Mapping):
        return {}
    return {
        int(key): number
        for key, number in value.items()
        if key.isascii() and key.isdigit() and len(key) < 10 and (number is None or _count(number))
    }


def _count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**62
