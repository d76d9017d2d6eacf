# SPDX-License-Identifier: Apache-2.0
"""The bytes that members and leader put beside Kafka's own fields: compact JSON with sorted keys.

The broker starts a rebalance when a member joins again with other bytes, so they change with what they say and with
nothing else: no clock, no counter of joins. Fields that a reader does not know are ignored; what it cannot read at all
counts as a member that holds nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from segue._drain.membership import Voice
from segue._group import Leaving

Partition = tuple[str, int]

VERSION = 1
_ALONE = "nobody_stays"
_RACK = "rack"
_LONGEST_RACK = 255


@dataclass(frozen=True, slots=True)
class Claim:
    """What a member holds, and since which round.

    round: counts the assignments that changed something. Clients do not tell an assignor the group's generation, so
    the leader hands this out; the newer of two claims to one partition is the true one.
    voice: what it says about leaving; see `Voice`.
    cooperative: it goes on with what it holds while it joins; without this it has given up everything by then.
    rack: where it stands, as `client.rack` says.
    """

    active: frozenset[Partition] = field(default_factory=frozenset)
    round: int = 0
    voice: Voice = field(default_factory=Voice)
    cooperative: bool = False
    rack: str | None = None


def encode_claim(claim: Claim) -> bytes:
    """`{"active":{"orders":[0,1]},"round":3,"v":1}`; with a voice `asked`, `instance` and `leaving` as well, and
    `"cooperative":true`, `"rack":"a"`.
    """
    mode = {"cooperative": True} if claim.cooperative else {}
    own = mode | rack_fields(claim.rack)
    return encode({"round": claim.round, "active": by_topic(claim.active), **own, **voice_fields(claim.voice)})


def decode_claim(data: bytes | None) -> Claim:
    """The claim in a member's bytes; an empty one for bytes of another format or version."""
    document = decode(data)
    topics = document.get("active")
    if not isinstance(topics, Mapping):
        return Claim()
    return Claim(
        frozenset((topic, number) for topic, numbers in topics.items() for number in naturals(numbers)),
        natural(document.get("round")) or 0,
        voice_of(document),
        document.get("cooperative") is True,
        rack_of(document),
    )


def rack_fields(rack: str | None) -> dict[str, Any]:
    return {} if rack is None else {_RACK: rack}


def rack_of(document: Mapping[str, Any]) -> str | None:
    """As it can stand in a group document, whatever was sent."""
    rack = document.get(_RACK)
    return rack if isinstance(rack, str) and rack.isprintable() and 0 < len(rack) <= _LONGEST_RACK else None


def voice_fields(voice: Voice) -> dict[str, Any]:
    """A voice's part of the join data: `{"asked":2,"instance":"…","leaving":{"since_ms":5}}`, or as much as is said."""
    fields = {
        "asked": voice.asked or None,
        "instance": voice.instance,
        "leaving": voice.leaving and {k: v for k, v in voice.leaving.document().items() if v is not None},
    }
    return {key: value for key, value in fields.items() if value is not None}


def voice_of(document: Mapping[str, Any]) -> Voice:
    instance = document.get("instance")
    return Voice(
        instance if isinstance(instance, str) else None,
        _leaving(document.get("leaving")),
        natural(document.get("asked")) or 0,
    )


def _leaving(value: Any) -> Leaving | None:
    since_ms = _time(value.get("since_ms")) if isinstance(value, Mapping) else None
    return None if since_ms is None else Leaving(since_ms=since_ms, deadline_ms=_time(value.get("deadline_ms")))


def _time(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value <= 2**53 else None


def encode_round(number: int, nobody_stays: bool = False) -> bytes:
    """What the leader answers: `{"round":4,"v":1}`, and `"nobody_stays":true` where all members are leaving."""
    return encode({"round": number, **alone_fields(nobody_stays)})


def decode_round(data: bytes | None) -> int:
    return natural(decode(data).get("round")) or 0


def alone_fields(nobody_stays: bool) -> dict[str, Any]:
    """Of a leader's answer, whatever the members are: whether all of them are leaving."""
    return {_ALONE: True} if nobody_stays else {}


def says_nobody_stays(document: Mapping[str, Any]) -> bool:
    return document.get(_ALONE) is True


def by_topic(partitions: Iterable[Partition]) -> dict[str, list[int]]:
    """Topics in order, each with its partitions in order."""
    topics: dict[str, list[int]] = {}
    for topic, number in sorted(partitions):
        topics.setdefault(topic, []).append(number)
    return topics


def encode(document: dict[str, Any]) -> bytes:
    return json.dumps(document | {"v": VERSION}, sort_keys=True, separators=(",", ":")).encode()


def decode(data: bytes | None) -> Mapping[str, Any]:
    try:
        document = json.loads(bytes(data or b"{}"))
    except (ValueError, RecursionError):
        return {}
    known = isinstance(document, dict) and document.get("v") == VERSION
    return document if known else {}


def naturals(value: Any) -> list[int]:
    return [item for item in value if natural(item) is not None] if isinstance(value, list) else []


def natural(value: Any) -> int | None:
    """A partition or round as Kafka counts them: 32 bits, not below 0."""
    return value if type(value) is int and 0 <= value < 2**31 else None
