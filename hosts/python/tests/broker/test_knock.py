# SPDX-License-Identifier: Apache-2.0
"""A stranger knocks at groups of a real broker."""

from __future__ import annotations

import asyncio
import queue
from types import SimpleNamespace
from typing import Any

import pytest
from aiokafka.client import AIOKafkaClient

from broker import clients
from broker.counters import CountingFleet
from broker.counting_process import CountingProcess
from broker.process import PATIENCE_S, wait_for
from segue._aiokafka.door import AiokafkaDoor
from segue._kafka_python.door import KafkaPythonDoor

CLIENTS = ("kafka-python", "aiokafka")


def ring_with_kafka_python(server: str, group: str) -> bool:
    rung: queue.SimpleQueue[bool] = queue.SimpleQueue()
    client = clients.consumer(bootstrap_servers=server, group_id=None, enable_auto_commit=False)
    try:
        KafkaPythonDoor(client, client.config | {"group_id": group, "session_timeout_ms": 6000}).ring(rung.put)
        return rung.get(timeout=PATIENCE_S)
    finally:
        client.close()


def ring_with_aiokafka(server: str, group: str) -> bool:
    async def run() -> bool:
        client = AIOKafkaClient(bootstrap_servers=server)
        await client.bootstrap()
        topics: Any = SimpleNamespace(client=client)
        member = SimpleNamespace(_group_id=group, _session_timeout_ms=6000, _rebalance_timeout_ms=60_000)
        rung: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        door = AiokafkaDoor(topics, member)
        door.ring(rung.set_result)
        try:
            return await asyncio.wait_for(rung, PATIENCE_S)
        finally:
            await door.stop()
            await client.close()

    return asyncio.run(run())


def joins(one: CountingProcess) -> int:
    return one.said().count("(Re-)joining group")


@pytest.mark.parametrize("client", CLIENTS)
def test_all_members_join_once_more_and_the_stranger_leaves_no_trace(counters: CountingFleet, client: str) -> None:
    """They keep what they have, and nobody of them had asked."""
    counters.join("kafka-python")
    counters.settle(4)
    counters.join("aiokafka")
    held = counters.settle(2, 2)
    counters.progress()
    ring = ring_with_kafka_python if client == "kafka-python" else ring_with_aiokafka

    def rung() -> list[int] | None:
        """How often they had joined before. A broker that answers late is not knocked at for long."""
        before = [joins(one) for one in counters.there]
        return before if ring(counters.server, counters.topic) else None

    before = counters.wait(rung)
    counters.wait(lambda: all(joins(one) > was for one, was in zip(counters.there, before, strict=True)))
    counters.progress()
    assert counters.settle(2, 2) == held
    assert [joins(one) - was for one, was in zip(counters.there, before, strict=True)] == [1, 1]
    with clients.administrating(counters.server) as admin:
        (found,) = admin.describe_groups([counters.topic]).values()
    assert (found["group_state"], len(found["members"])) == ("Stable", 2)
    counters.check_exact()


@pytest.mark.parametrize("client", CLIENTS)
def test_where_there_is_no_group_nobody_is_called(broker: Any, client: str) -> None:
    """And none is left behind: a stranger alone finds itself in an empty group, and leaves."""
    ring = ring_with_kafka_python if client == "kafka-python" else ring_with_aiokafka
    ring(broker.plain, f"nobody-{client}")
    with clients.administrating(broker.plain) as admin:
        wait_for(lambda: not members(admin, f"nobody-{client}"))


def members(admin: Any, group: str) -> list[Any]:
    (found,) = admin.describe_groups([group]).values()
    return list(found["members"])
