# SPDX-License-Identifier: Apache-2.0
"""Records that were processed, and how long a partition was silent."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple


class Done(NamedTuple):
    """A record that was processed: when in nanoseconds, where, by whom."""

    at: int
    partition: int
    offset: int
    by: str


def by_partition(done: Iterable[Done]) -> dict[int, list[Done]]:
    """In the order of time."""
    found = defaultdict(list)
    for one in sorted(done):
        found[one.partition].append(one)
    return found


def longest_silence_ms(done: Iterable[Done], since: int, until: int) -> float:
    """The longest time between two records of one partition, of those that reach into this span of nanoseconds."""
    silences = [
        later.at - earlier.at
        for rows in by_partition(done).values()
        for earlier, later in pairwise(rows)
        if earlier.at < until and later.at > since
    ]
    return max(silences, default=0) / 1e6
