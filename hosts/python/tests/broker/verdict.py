# SPDX-License-Identifier: Apache-2.0
"""What is right at the end: each record once, by one owner at a time, and the state that comes of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from broker.done import Done, by_partition

State = Mapping[tuple[int, bytes], int]


def check_once(done: Iterable[Done], sent: set[tuple[int, int]]) -> None:
    """Every record was counted once, and each partition by one owner after the other."""
    times = Counter((one.partition, one.offset) for one in done)
    doubled = sorted(place for place, count in times.items() if count > 1)
    assert not doubled, f"counted more than once: {_some(doubled)}"
    check_all({(one.partition, one.offset) for one in done}, sent)
    for partition, rows in by_partition(done).items():
        for earlier, later in pairwise(rows):
            assert earlier.offset < later.offset, f"partition {partition}: {later} came after {earlier}"


def check_all(seen: set[tuple[int, int]], sent: set[tuple[int, int]]) -> None:
    """Every record was counted."""
    missing = sorted(sent - seen)
    assert not missing, f"never counted: {_some(missing)}"


def check_state(state: State, right: State, what: str) -> None:
    """Key by key."""
    wrong = {place: (state.get(place), right.get(place)) for place in state.keys() | right.keys()}
    wrong = {place: pair for place, pair in wrong.items() if pair[0] != pair[1]}
    assert not wrong, f"{what}: (has, should have) {_some(sorted(wrong.items()))}"


def _some(rows: Sequence[object]) -> str:
    return f"{len(rows)} of them: {rows[:10]}"
