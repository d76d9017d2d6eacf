# SPDX-License-Identifier: Apache-2.0
"""The ports of the tests' own brokers."""

import socket
from pathlib import Path

import pytest
from cluster import Cluster
from ports import HOST, choose, outgoing


def test_are_distinct_and_none_that_a_connection_may_take() -> None:
    first, last = outgoing()
    chosen = choose(300)
    assert len(set(chosen)) == 300
    assert not [port for port in chosen if first <= port <= last]


def test_each_is_held_until_all_are_chosen() -> None:
    one, other = choose(2)
    assert choose(2, iter([one, one, other])) == [one, other]


def test_what_somebody_has_is_passed_over() -> None:
    (free,) = choose(1)
    with socket.create_server((HOST, 0)) as taken:
        assert choose(1, iter([taken.getsockname()[1], free])) == [free]
        assert choose(1, iter([taken.getsockname()[1]])) != [taken.getsockname()[1]], "the kernel knows one in the end"


def test_a_broker_starts_on_others_when_one_is_taken(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    free = choose(3)
    with socket.create_server((HOST, 0)) as taken:
        choices = iter([[*free[:2], taken.getsockname()[1]], free])
        with Cluster(request.config.getoption("--jars"), tmp_path, lambda _: next(choices)) as started:
            assert started.ports == free
            started.ask("topic", topic="orders")
