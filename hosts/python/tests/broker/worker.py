# SPDX-License-Identifier: Apache-2.0
"""A consumer in a process of its own, until standard input ends: worker.py CLIENT SERVER GROUP STRATEGY...

CLIENT is kafka-python or aiokafka, the topic is called as the group; the strategy `bare` is segue's without anything
that tests put beside it, `crashing` is of the plugin that the environment names, in a process of its own. Prints a line
of JSON for each change of what it holds, `{"holds": [0, 1]}`, and for each batch of records,
`{"read": [[0, 17, 2, 1]]}`: partition, offset, time, and when it was sent (in nanoseconds). With kafka-python also what
its listener is told, `{"told": [["revoked", 0, 1]]}`, with the time.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

stopping = threading.Event()

COMMON: dict[str, Any] = {
    "auto_offset_reset": "earliest",
    "session_timeout_ms": 60_000,
    "heartbeat_interval_ms": 300,
    "fetch_max_wait_ms": 20,
}


ISOLATED: dict[str, Any] = {"segue_isolation": "process", "segue_max_faults": 2}


class Teller:
    """Prints what changes."""

    def __init__(self) -> None:
        self._holds: list[int] | None = None

    def holds(self, assignment: Iterable[Any]) -> None:
        holds = sorted(place.partition for place in assignment)
        if holds != self._holds:
            self._holds = holds
            self._print(holds=holds)

    def read(self, batches: dict[Any, list[Any]]) -> None:
        now = time.time_ns()
        read = [
            (record.partition, record.offset, now, record.timestamp * 1_000_000)
            for batch in batches.values()
            for record in batch
        ]
        if read:
            self._print(read=read)

    def told(self, **what: Iterable[Any]) -> None:
        now = time.time_ns()
        self._print(told=[[name, place.partition, now] for name, places in what.items() for place in places])

    @staticmethod
    def _print(**what: Any) -> None:
        # In one piece: listeners are called on the client's thread.
        sys.stdout.write(json.dumps(what) + "\n")
        sys.stdout.flush()


def run_kafka_python(server: str, group: str, strategies: list[str]) -> None:
    from kafka import KafkaConsumer
    from kafka.coordinator.assignors.cooperative_sticky import CooperativeStickyAssignor
    from kafka.coordinator.assignors.range import RangePartitionAssignor

    from segue.kafka_python import SegueAssignor

    cooperative = SegueAssignor(cooperative=True)
    makers: dict[str, Callable[[], Any]] = {
        "range": RangePartitionAssignor,
        "segue": SegueAssignor,
        "bare": SegueAssignor,
        "crashing": lambda: SegueAssignor("crashes", **ISOLATED),
        "cooperative": lambda: cooperative,
        "beside": lambda: cooperative.beside(CooperativeStickyAssignor()),
        "cooperative-sticky": CooperativeStickyAssignor,
    }
    made = [makers[name]() for name in strategies]
    consumer = KafkaConsumer(bootstrap_servers=server, group_id=group, partition_assignment_strategy=made, **COMMON)
    teller = Teller()
    consumer.subscribe([group], listener=listener_of(teller, 0 if strategies == ["bare"] else 0.2))
    while not stopping.is_set():
        batches = consumer.poll(timeout_ms=50)
        # kafka-python 3.0.12 forgets a join that metadata started when poll() times out on it.
        coordinator = consumer._coordinator
        if coordinator.rejoining and not coordinator.rejoin_needed:
            coordinator.request_rejoin()
        teller.holds(consumer.assignment())
        teller.read(batches)
    consumer.close()


def listener_of(teller: Teller, pause_s: float) -> Any:
    from kafka.consumer.subscription_state import ConsumerRebalanceListener

    class Listener(ConsumerRebalanceListener):  # type: ignore[misc]  # kafka-python has no types
        """Says what it is told. To give up may take it a while, as it does one that has to flush."""

        def on_partitions_revoked(self, revoked: Iterable[Any]) -> None:
            time.sleep(pause_s if revoked else 0)
            teller.told(revoked=revoked)

        def on_partitions_assigned(self, assigned: Iterable[Any]) -> None:
            teller.told(assigned=assigned)

    return Listener()


async def run_aiokafka(server: str, group: str, strategies: list[str]) -> None:
    from aiokafka import AIOKafkaConsumer
    from aiokafka.coordinator.assignors.range import RangePartitionAssignor

    from segue.aiokafka import SegueAssignor

    makers: dict[str, Callable[[], Any]] = {
        "range": RangePartitionAssignor,
        "crashing": lambda: SegueAssignor("crashes", **ISOLATED),
    }
    made = [makers.get(name, SegueAssignor)() for name in strategies]
    consumer = AIOKafkaConsumer(
        group, bootstrap_servers=server, group_id=group, partition_assignment_strategy=made, **COMMON
    )
    await consumer.start()
    teller = Teller()
    while not stopping.is_set():
        batches = await consumer.getmany(timeout_ms=50)
        teller.holds(consumer.assignment())
        teller.read(batches)
    await consumer.stop()


def wait_for_the_end() -> None:
    sys.stdin.read()
    stopping.set()


def main(client: str, server: str, group: str, *strategies: str) -> None:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(levelname)s %(message)s")
    threading.Thread(target=wait_for_the_end, daemon=True).start()
    if client == "aiokafka":
        asyncio.run(run_aiokafka(server, group, list(strategies)))
    else:
        run_kafka_python(server, group, list(strategies))


if __name__ == "__main__":
    main(*sys.argv[1:])
