# SPDX-License-Identifier: Apache-2.0
"""Which input records the changelog has.

The last write that an input record causes carries that record's place in a header. So whoever replays the changelog
knows which input is in the state, and after a crash, when offsets were not committed in time, which records come a
second time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from segue._state.store import Record

HEADER = "segue-at"


def headers(applied: Mapping[str, int]) -> list[tuple[str, bytes]]:
    """`[("segue-at", b"17 orders")]`: everything of topic `orders` below offset 17 has been applied. All topics are
    named, so that the last mark says everything.
    """
    return [(HEADER, b"%d %s" % (offset, topic.encode())) for topic, offset in sorted(applied.items())]


def newest(records: Sequence[Record], known: Mapping[str, int]) -> Mapping[str, int]:
    """What is applied after these records too."""
    for record in reversed(records):
        if found := _read(record):
            return {topic: max(offset, found.get(topic, 0)) for topic, offset in {**found, **known}.items()}
    return known


def _read(record: Record) -> dict[str, int]:
    """Whatever else bears that name is none of ours, and is passed over."""
    parts = (bytes(value or b"").partition(b" ") for key, value in record.headers if key == HEADER)
    return {
        topic.decode(errors="replace"): int(number)
        for number, _, topic in parts
        if topic and number.isdigit() and len(number) < 20
    }
