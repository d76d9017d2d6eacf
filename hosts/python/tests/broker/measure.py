# SPDX-License-Identifier: Apache-2.0
"""Measures how long partitions are silent while members come and go: measure.py --client aiokafka --keys 200000

Beside a scale-out of consumers with state it shows, in the same run: a group without state that a member joins, and the
same scale-out by a strategy that moves state cold. Figures are only worth comparing within one run.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[2] / "cli/kafka/test")]

from cluster import Cluster, missing  # noqa: E402

from broker.consumers import Fleet  # noqa: E402  # where the line above says
from broker.counters import CountingFleet  # noqa: E402
from broker.done import Done, longest_silence_ms  # noqa: E402
from broker.process import wait_for  # noqa: E402
from broker.steady import Steady  # noqa: E402
from broker.topics import make_topics  # noqa: E402


class Run:
    """One measurement after the other on one broker."""

    def __init__(self, broker: Cluster, asked: argparse.Namespace, folder: Path) -> None:
        self.broker = broker
        self.asked = asked
        self.folder = folder

    def span(self, what: str, done: Callable[[], Iterable[Done]], step: Callable[[], Any]) -> None:
        """Prints the longest silence from now until a second after the step."""
        since = time.time_ns()
        step()
        until = time.time_ns()
        wait_for(lambda: time.time_ns() > until + 1_000_000_000)
        gap = longest_silence_ms(done(), since, until + 1_000_000_000)
        print(f"{what:<60} {gap:>7.0f} ms of silence, {(until - since) / 1e9:.1f} s in all", flush=True)

    def stateless(self) -> None:
        """Members without state: what a rebalance costs."""
        name = "stateless"
        make_topics(self.broker.plain, name, self.asked.partitions)
        with (
            Fleet(self.broker.plain, name, self.asked.partitions) as fleet,
            Steady(self.broker.plain, name, fleet.partitions, rate=self.asked.rate, keys=1),
        ):
            fleet.join(self.asked.client)
            fleet.settle(self.asked.partitions)
            done = lambda: [one for consumer in fleet.there for one in consumer.done]  # noqa: E731
            self.span("without state: nothing happens", done, lambda: None)
            self.span(
                "without state: 1 to 2", done, lambda: (fleet.join(self.asked.client), fleet.settle(*self.shares(2)))
            )
            self.span(
                "without state: 2 to 3", done, lambda: (fleet.join(self.asked.client), fleet.settle(*self.shares(3)))
            )

    def stateful(self, assignor: str) -> None:
        """The same with so many keys a partition."""
        topic = f"stateful-{assignor}"
        folder = self.folder / assignor
        folder.mkdir()
        fleet = CountingFleet(
            self.broker.plain, topic, folder, partitions=self.asked.partitions, rate=self.asked.rate, keys=1000
        )
        fleet.fill(self.asked.keys)
        with fleet:
            self.join(fleet, assignor)
            fleet.settle(self.asked.partitions)
            fleet.progress()
            self.span(f"{assignor}: nothing happens", fleet.done, lambda: None)
            self.scale_out(fleet, assignor, "1 to 2", self.shares(2))
            self.scale_out(fleet, assignor, "2 to 3", self.shares(3))
            fleet.check_exact()
        print(f"{assignor}: every record counted once, state and changelog equal key by key", flush=True)

    def scale_out(self, fleet: CountingFleet, assignor: str, what: str, sizes: list[int]) -> None:
        def learn() -> None:
            joined = self.join(fleet, assignor)
            fleet.wait(lambda: joined.calls)

        self.span(f"{assignor}: {what}, a member joins", fleet.done, learn)
        self.span(f"{assignor}: {what}, hand-over", fleet.done, lambda: fleet.settle(*sizes))

    def shares(self, members: int) -> list[int]:
        """Of the partitions, evenly."""
        return [(self.asked.partitions + number) // members for number in range(members)]

    def join(self, fleet: CountingFleet, assignor: str) -> Any:
        options: dict[str, Any] = {"assignor": assignor}
        if self.asked.store == "sqlite":
            options["store"] = str(fleet.folder / f"store-{len(fleet.there)}")
        return fleet.join(self.asked.client, **options)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--client", choices=["kafka-python", "aiokafka"], default="kafka-python")
    parser.add_argument("--keys", type=int, default=200_000, help="state of each partition (default: %(default)s)")
    parser.add_argument("--partitions", type=int, default=4)
    parser.add_argument("--rate", type=int, default=100, help="records a second and partition (default: %(default)s)")
    parser.add_argument("--store", choices=["memory", "sqlite"], default="memory")
    parser.add_argument("--cold", action="store_true", help="measure a strategy that moves state cold as well")
    parser.add_argument("--jars", type=Path, default=HERE.parents[3] / "hosts/jvm/segue-demo/target/lib")
    asked = parser.parse_args()
    if reason := missing(asked.jars):
        sys.exit(f"no broker can be started: {reason}")
    with tempfile.TemporaryDirectory() as folder, Cluster(asked.jars, Path(folder)) as broker:
        run = Run(broker, asked, Path(folder))
        run.stateless()
        for assignor in ("learner", "sticky") if asked.cold else ("learner",):
            run.stateful(assignor)


if __name__ == "__main__":
    main()
