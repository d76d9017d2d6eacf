# SPDX-License-Identifier: Apache-2.0
"""Records that were processed, and how long a partition was silent."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple


class Done(NamedTuple):
    """A record that was processed: when in nanoseconds, where, by whom; and when it was sent, where that is known."""

    at: int
    partition: int
    offset: int
    by: str
    sent: int = 0


def by_partition(done: Iterable[Done]) -> dict[int, list[Done]]:
    """In the order of time."""
    found = defaultdict(list)
    for one in sorted(done):
        found[one.partition].append(one)
    return found


def longest_silence_ms(done: Iterable[Done], since: int, until: int) -> float:
    """The longest time between two records of one partition, of those that reach into this span of nanoseconds. While
    nothing has been sent nobody is silent.
    """
    return max((_ms(*pair) for pair in _pairs(done, since, until)), default=0)


def longest_move_ms(done: Iterable[Done], since: int, until: int) -> float:
    """The longest time between the last record that one owner processed and the first of the next."""
    return max((_ms(*pair) for pair in _pairs(done, since, until) if pair[0].by != pair[1].by), default=0)


def _pairs(done: Iterable[Done], since: int, until: int) -> Iterator[tuple[Done, Done]]:
    for rows in by_partition(done).values():
        for earlier, later in pairwise(rows):
            if earlier.at < until and later.at > since:
                yield earlier, later


def _ms(earlier: Done, later: Done) -> float:
    return (later.at - max(earlier.at, later.sent)) / 1e6
