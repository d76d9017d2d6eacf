# SPDX-License-Identifier: Apache-2.0
"""Fresh members that join a running group and leave it again: joining.py CLIENT SERVER NAME OPTIONS

In each of so many `rounds`, `each` consumers join at the same time, and leave once the broker has them all in a stable
group, beside the `beside` of other processes. OPTIONS has these three; what the members read they count and print as
counting.py does.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from broker import clients
from broker.counting import count, options_of  # where the line above says
from broker.process import wait_for


class Round:
    """So many members of the group on the topic of the same name."""

    def __init__(self, server: str, name: str, members: int, beside: int) -> None:
        self.server = server
        self.name = name
        self.members = members
        self.all = members + beside
        self.leaving = threading.Event()

    def options(self) -> dict[str, Any]:
        return options_of(self.server, self.name, {})

    def wait_for_all(self) -> None:
        """Then the members are told to leave, and so they are if that takes too long."""
        try:
            with clients.administrating(self.server) as admin:
                wait_for(lambda: self._there(admin) == self.all, lambda: f"there are {self._there(admin)} members")
        finally:
            self.leaving.set()

    def _there(self, admin: Any) -> int | None:
        (found,) = admin.describe_groups([self.name]).values()
        return len(found["members"]) if found["group_state"] == "Stable" else None


def join_with_kafka_python(one: Round) -> None:
    from segue.kafka_python import StatefulConsumer  # one process, one client

    def member() -> None:
        with StatefulConsumer(one.name, **one.options()) as consumer:
            while not one.leaving.is_set():
                count(consumer, consumer.poll(timeout_ms=50))

    with ThreadPoolExecutor(one.members) as threads:
        members = [threads.submit(member) for _ in range(one.members)]
        one.wait_for_all()
    for ended in members:
        ended.result()


def join_with_aiokafka(one: Round) -> None:
    from segue.aiokafka import StatefulConsumer

    async def member() -> None:
        async with StatefulConsumer(one.name, **one.options()) as consumer:
            while not one.leaving.is_set():
                count(consumer, await consumer.getmany(timeout_ms=50))

    async def run() -> None:
        await asyncio.gather(asyncio.to_thread(one.wait_for_all), *(member() for _ in range(one.members)))

    asyncio.run(run())


def main(client: str, server: str, name: str, given: str) -> None:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(levelname)s %(message)s")
    options = json.loads(given)
    join: Callable[[Round], None] = join_with_aiokafka if client == "aiokafka" else join_with_kafka_python
    for _ in range(options["rounds"]):
        join(Round(server, name, options["each"], options["beside"]))


if __name__ == "__main__":
    main(*sys.argv[1:])
