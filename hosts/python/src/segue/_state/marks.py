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


def header(topic: str, offset: int) -> tuple[str, bytes]:
    """`("segue-at", b"17 orders")`: everything of topic `orders` below offset 17 has been applied."""
    return (HEADER, b"%d %s" % (offset, topic.encode()))


def newest(records: Sequence[Record], known: Mapping[str, int]) -> dict[str, int]:
    """What is applied after these records too: by topic the offset below which everything is."""
    found = dict(known)
    for record in records:
        for key, value in record.headers:
            if key == HEADER:
                _take(found, bytes(value or b""))
    return found


def _take(found: dict[str, int], value: bytes) -> None:
    """Whatever else bears that name is none of ours, and is passed over."""
    number, _, topic = value.partition(b" ")
    if topic and number.isdigit() and len(number) < 20:
        name = topic.decode(errors="replace")
        found[name] = max(int(number), found.get(name, 0))
