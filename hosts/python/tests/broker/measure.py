# SPDX-License-Identifier: Apache-2.0
"""Measures how long partitions are silent while members come and go: measure.py --client aiokafka --keys 200000

Members with state join and are drained, beside members without state of the same client that join and leave: a bare
rebalance. Both go from one member to three and back, in turns, so many rounds in one run; at the end there are the
medians and what the state costs. With --cold a strategy that moves state cold is measured as well. Figures are only
worth comparing within one run.

What is no rebalance is kept out. The records come from this process, so it neither collects garbage nor adds anything
up while they flow: a record that it has stamped and cannot send yet looks like silence, of all partitions at once. The
broker has room for the garbage of a round, and collects it between rounds.
"""

from __future__ import annotations

import argparse
import gc
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

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
BARE = "bare"
STEPS = ("nothing happens", "1 to 2", "2 to 3", "3 to 2", "2 to 1")
# Of the broker: its young generation takes what several rounds leave behind.
HEAP = ("-Xmx2g", "-Xmn1536m")


class Span(NamedTuple):
    """In nanoseconds since the epoch."""

    since: int
    until: int


class Silence(NamedTuple):
    """Milliseconds: of any partition, and of one that moved."""

    longest: float
    move: float


class Group:
    """One group that goes from one member to three and back. join, leave: one member more, or the first one less, once
    the partitions are in place. Its producer flows while it is measured.
    """

    def __init__(
        self,
        name: str,
        producer: Steady,
        done: Callable[[], Iterable[Done]],
        join: Callable[[int], None],
        leave: Callable[[int], None],
    ) -> None:
        self.name = name
        self.producer = producer
        self.done = done
        self.join = join
        self.leave = leave

    def steps(self) -> list[Callable[[], Any]]:
        """What STEPS says."""
        return [
            lambda: wait_s(2),
            lambda: self.join(2),
            lambda: self.join(3),
            lambda: self.leave(2),
            lambda: self.leave(1),
        ]

    def round(self) -> list[Silence]:
        """What partitions go through in each step, until a second after it."""
        gc.collect()
        gc.disable()
        self.producer.flows.set()
        spans = [_span(step) for step in self.steps()]
        self.producer.flows.clear()
        gc.enable()
        done = list(self.done())
        return [Silence(longest_silence_ms(done, *span), longest_move_ms(done, *span)) for span in spans]


class Run:
    """All groups of a measurement, on one broker."""

    def __init__(self, broker: Cluster, asked: argparse.Namespace, folder: Path) -> None:
        self.broker = broker
        self.asked = asked
        self.folder = folder
        self.found: dict[tuple[str, str], list[Silence]] = defaultdict(list)

    def stateless(self, opened: ExitStack) -> Group:
        """Members without state: what a rebalance costs."""
        make_topics(self.broker.plain, BARE, self.asked.partitions)
        fleet = opened.enter_context(Fleet(self.broker.plain, BARE, self.asked.partitions))
        steady = Steady(self.broker.plain, BARE, fleet.partitions, rate=self.asked.rate, keys=1)
        opened.enter_context(steady)
        fleet.prints_logs = False

        def join(members: int) -> None:
            fleet.join(self.asked.client, BARE)
            fleet.settle(*self.shares(members))

        def leave(members: int) -> None:
            fleet.leave(fleet.there[0])
            fleet.settle(*self.shares(members))

        join(1)
        return Group(BARE, steady, lambda: [row for one in fleet.gone + fleet.there for row in one.done], join, leave)

    def stateful(self, opened: ExitStack, assignor: str) -> Group:
        """The same with so many keys a partition; who leaves is drained where the strategy can do that."""
        folder = self.folder / assignor
        folder.mkdir()
        topic, partitions, rate = f"by-{assignor}", self.asked.partitions, self.asked.rate
        fleet = CountingFleet(self.broker.plain, topic, folder, partitions=partitions, rate=rate, keys=1000)
        fleet.flags, fleet.prints_logs = (), False
        fleet.fill(self.asked.keys)
        opened.enter_context(fleet)
        opened.callback(fleet.check_exact)

        def join(members: int) -> None:
            options: dict[str, Any] = {"assignor": assignor}
            if self.asked.store == "sqlite":
                options["store"] = str(folder / f"store-{len(fleet.there) + len(fleet.gone)}")
            fleet.join(self.asked.client, **options)
            fleet.settle(*self.shares(members))

        def leave(members: int) -> None:
            (fleet.drain if assignor == DRAINS else fleet.leave)(fleet.there[0])
            fleet.settle(*self.shares(members))

        join(1)
        fleet.progress()
        return Group(assignor, fleet.producer, fleet.done, join, leave)

    def round(self, groups: Iterable[Group]) -> None:
        for group in groups:
            self.broker.ask("collect")
            for what, found in zip(STEPS, group.round(), strict=True):
                self.found[group.name, what].append(found)
                print(f"{group.name + ', ' + what:<32} {found.longest:>6.0f} {found.move:>6.0f}", flush=True)

    def tell(self, groups: Iterable[Group]) -> None:
        """The medians, and how they compare with a bare rebalance of the same kind."""
        for group in groups:
            for what in STEPS:
                own, bare = self.middle(group.name, what), self.middle(BARE, what)
                print(
                    f"{group.name + ', ' + what:<32} {own.longest:>6.0f} {own.move:>6.0f}"
                    f"   {own.longest / max(1, bare.longest):.1f} times bare"
                )

    def middle(self, name: str, what: str) -> Silence:
        rows = self.found[name, what]
        return Silence(median(row.longest for row in rows), median(row.move for row in rows))

    def shares(self, members: int) -> list[int]:
        """Of the partitions, evenly."""
        return [(self.asked.partitions + number) // members for number in range(members)]


def _span(step: Callable[[], Any]) -> Span:
    since = time.time_ns()
    step()
    wait_s(1)
    return Span(since, time.time_ns())


def wait_s(seconds: float) -> None:
    until = time.monotonic() + seconds
    wait_for(lambda: time.monotonic() > until)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--client", choices=["kafka-python", "aiokafka"], default="kafka-python")
    parser.add_argument("--keys", type=int, default=200_000, help="state of each partition (default: %(default)s)")
    parser.add_argument("--partitions", type=int, default=4)
    parser.add_argument("--rate", type=int, default=100, help="records a second and partition (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="how often each goes up and down (default: %(default)s)")
    parser.add_argument("--store", choices=["memory", "sqlite"], default="memory")
    parser.add_argument("--cold", action="store_true", help="measure a strategy that moves state cold as well")
    parser.add_argument("--jars", type=Path, default=HERE.parents[3] / "hosts/jvm/segue-demo/target/lib")
    asked = parser.parse_args()
    if reason := missing(asked.jars):
        sys.exit(f"no broker can be started: {reason}")
    with tempfile.TemporaryDirectory() as folder, Cluster(asked.jars, Path(folder), heap=HEAP) as broker:
        run = Run(broker, asked, Path(folder))
        with ExitStack() as opened:
            assignors = (DRAINS, "sticky") if asked.cold else (DRAINS,)
            groups = [run.stateless(opened), *(run.stateful(opened, assignor) for assignor in assignors)]
            for group in groups:
                group.producer.flows.clear()
            print("silence, milliseconds:                any  moved")
            for _ in range(asked.rounds):
                run.round(groups)
            print(f"medians of {asked.rounds}:")
            run.tell(groups)
        print("every record counted once; states and changelog right key by key", flush=True)


if __name__ == "__main__":
    main()
