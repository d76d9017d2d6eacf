# SPDX-License-Identifier: Apache-2.0
"""The broker of the program's tests, one for all tests here."""

import itertools
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from broker.consumers import Fleet
from broker.counters import CountingFleet

REPOSITORY = Path(__file__).resolve().parents[4]
sys.path.insert(0, str(REPOSITORY / "hosts/cli/kafka/test"))

from cluster import Cluster, missing  # noqa: E402  # where the line above says

names = itertools.count(1)

# A shell that runs the tests in the background ignores interrupts, and so would every process that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    built = REPOSITORY / "hosts/jvm/segue-demo/target/lib"
    parser.addoption("--jars", type=Path, default=built, help=f"folder of Kafka's jars (default: {built})")


@pytest.fixture(scope="session")
def broker(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    jars = request.config.getoption("--jars")
    if reason := missing(jars):
        pytest.fail(f"no broker can be started: {reason}")
    with Cluster(jars, tmp_path_factory.mktemp("broker")) as started:
        yield started


@pytest.fixture
def fleet(broker: Cluster) -> Iterator[Fleet]:
    """A group of its own on a topic of its own with eight partitions."""
    name = f"orders-{next(names)}"
    broker.ask("topic", topic=name, partitions=8)
    with Fleet(broker.plain, name, partitions=8) as made:
        yield made


@pytest.fixture
def counters(broker: Cluster, tmp_path: Path) -> Iterator[CountingFleet]:
    """An application that counts, on a topic of its own with four partitions, and its records without a pause."""
    with CountingFleet(broker.plain, f"counts-{next(names)}", tmp_path) as made:
        yield made
