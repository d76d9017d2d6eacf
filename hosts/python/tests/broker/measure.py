# SPDX-License-Identifier: Apache-2.0
"""Measures how long partitions are silent while members come and go: measure.py --client aiokafka --keys 200000

Beside a scale-out of consumers with state, and drains back to one, it shows in the same run a group without state that
members join, and with --cold a strategy that moves state cold. Figures are only worth comparing within one run.
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
from broker.done import Done, longest_move_ms, longest_silence_ms  # noqa: E402
from broker.process import wait_for  # noqa: E402
from broker.steady import Steady  # noqa: E402
from broker.topics import make_topics  # noqa: E402

# Learns as `learner` does, and heeds drains.
DRAINS = "scale-down"


class Run:
    """One measurement after the other on one broker."""

    def __init__(self, broker: Cluster, asked: argparse.Namespace, folder: Path) -> None:
        self.broker = broker
        self.asked = asked
        self.folder = folder

    def span(self, what: str, done: Callable[[], Iterable[Done]], step: Callable[[], Any]) -> None:
        """Prints what partitions went through from now until a second after the step."""
        since = time.time_ns()
        step()
        settled = time.time_ns()
        until = settled + 1_000_000_000
        wait_for(lambda: time.time_ns() > until)
        longest, move = longest_silence_ms(done(), since, until), longest_move_ms(done(), since, until)
        print(
            f"{what:<40} longest silence {longest:>6.0f} ms, of a partition that moved {move:>6.0f} ms, "
            f"in place after {(settled - since) / 1e9:.1f} s",
            flush=True,
        )

    def stateless(self) -> None:
        """Members without state: what a rebalance costs."""
        name = "stateless"
        make_topics(self.broker.plain, name, self.asked.partitions)
        with (
            Fleet(self.broker.plain, name, self.asked.partitions) as fleet,
            Steady(self.broker.plain, name, fleet.partitions, rate=self.asked.rate, keys=1),
        ):
            fleet.prints_logs = False

            def done() -> list[Done]:
                return [one for consumer in fleet.there for one in consumer.done]

            def join(members: int) -> None:
                fleet.join(self.asked.client)
                fleet.settle(*self.shares(members))

            join(1)
            self.span("without state, nothing happens", done, self.pause)
            self.span("without state, 1 to 2", done, lambda: join(2))
            self.span("without state, 2 to 3", done, lambda: join(3))

    def stateful(self, assignor: str) -> None:
        """The same with so many keys a partition."""
        folder = self.folder / assignor
        folder.mkdir()
        fleet = CountingFleet(
            self.broker.plain,
            f"by-{assignor}",
            folder,
            partitions=self.asked.partitions,
            rate=self.asked.rate,
            keys=1000,
        )
        fleet.flags, fleet.prints_logs = (), False
        fleet.fill(self.asked.keys)

        def join(members: int) -> None:
            options: dict[str, Any] = {"assignor": assignor}
            if self.asked.store == "sqlite":
                options["store"] = str(folder / f"store-{members}")
            fleet.join(self.asked.client, **options)
            fleet.settle(*self.shares(members))

        def drain(members: int) -> None:
            fleet.drain(fleet.there[0])
            fleet.settle(*self.shares(members))

        with fleet:
            join(1)
            fleet.progress()
            self.span(f"{assignor}, nothing happens", fleet.done, self.pause)
            self.span(f"{assignor}, 1 to 2", fleet.done, lambda: join(2))
            self.span(f"{assignor}, 2 to 3", fleet.done, lambda: join(3))
            if assignor == DRAINS:
                self.span(f"{assignor}, 3 to 2, drained", fleet.done, lambda: drain(2))
                self.span(f"{assignor}, 2 to 1, drained", fleet.done, lambda: drain(1))
            fleet.check_exact()
        print(f"{assignor}: every record counted once; states and changelog right key by key", flush=True)

    def shares(self, members: int) -> list[int]:
        """Of the partitions, evenly."""
        return [(self.asked.partitions + number) // members for number in range(members)]

    @staticmethod
    def pause() -> None:
        until = time.monotonic() + 3
        wait_for(lambda: time.monotonic() > until)


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
        for assignor in (DRAINS, "sticky") if asked.cold else (DRAINS,):
            run.stateful(assignor)


if __name__ == "__main__":
    main()
