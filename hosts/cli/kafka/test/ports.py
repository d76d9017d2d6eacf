# SPDX-License-Identifier: Apache-2.0
"""Ports of loopback that nobody listens on.

They come from outside the range from which the kernel takes a port for an outgoing connection: any client's connection
could otherwise have one before it is listened on.
"""

import contextlib
import errno
import itertools
import pathlib
import random
import socket
from collections.abc import Iterator

HOST = "127.0.0.1"
OUTGOING = pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range")
LEAST, MOST = 10_000, 65_535
# Of a range with fewer ports nothing is taken: those that start beside each other would meet in it.
ENOUGH = 1_000
TRIES = 100


def choose(count: int, candidates: Iterator[int] | None = None) -> list[int]:
    """So many, no two the same: each is held until all are chosen. Candidates are tried one after the other."""
    tried = candidates or outside(outgoing())
    with contextlib.ExitStack() as held:
        return [held.enter_context(hold(tried)).getsockname()[1] for _ in range(count)]


def hold(candidates: Iterator[int]) -> socket.socket:
    """One that is listened on from now on; in the end one that the kernel gives."""
    for port in itertools.chain(itertools.islice(candidates, TRIES), [0]):
        try:
            return socket.create_server((HOST, port))
        except OSError as fault:
            if fault.errno != errno.EADDRINUSE:
                raise
    raise OSError(errno.EADDRINUSE, "no port is free on loopback")


def outgoing() -> tuple[int, int]:
    """First and last port that the kernel takes for connections; its defaults where it does not say."""
    try:
        first, last = OUTGOING.read_text(encoding="ascii").split()
    except FileNotFoundError:
        return 32_768, 60_999
    return int(first), int(last)


def outside(taken: tuple[int, int]) -> Iterator[int]:
    """At random, from the larger of the two ranges beside the one that is taken; any where neither is large enough."""
    below, above = range(LEAST, taken[0]), range(taken[1] + 1, MOST + 1)
    larger = max(below, above, key=len)
    while True:
        yield random.choice(larger) if len(larger) >= ENOUGH else 0
