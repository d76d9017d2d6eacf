# SPDX-License-Identifier: Apache-2.0
"""aiokafka's own fetcher at the moment of an assignment, over connections that the test answers; and what it has
fetched before it may be given out.
"""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

from aiokafka import TopicPartition
from aiokafka.consumer.fetcher import Fetcher
from aiokafka.consumer.subscription_state import SubscriptionState

from segue._aiokafka.fetched import Fetched
from segue._aiokafka.fetcher import look_again

PLACE = TopicPartition("orders", 0)
# More than anything takes that waits for nothing.
TURNS = 50


class Broker:
    """Leads every partition, and has each fetch answered by the test."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._metadata_max_age_ms = 300_000
        self.cluster = SimpleNamespace(leader_for_partition=lambda place: 0)
        self.fetches: list[asyncio.Future[None]] = []

    async def send(self, node: int, request: Any) -> None:
        self.fetches.append(self._loop.create_future())
        await self.fetches[-1]


async def turns() -> None:
    for _ in range(TURNS):
        await asyncio.sleep(0)


def assign(subscription: SubscriptionState) -> None:
    subscription.assign_from_user({PLACE})
    subscription.seek(PLACE, 7)


def test_a_fetch_that_ends_with_the_assignment_is_followed_by_another() -> None:
    """At once: by itself aiokafka would look again after its timeout only, which is an hour here."""

    async def run() -> None:
        broker, subscription = Broker(), SubscriptionState()
        assign(subscription)
        fetcher = Fetcher(broker, subscription, fetcher_timeout=3600)
        await turns()
        assert len(broker.fetches) == 1
        assign(subscription)
        broker.fetches[0].set_result(None)
        await look_again(SimpleNamespace(_fetcher=fetcher))
        await turns()
        assert len(broker.fetches) == 2
        await fetcher.close()

    asyncio.run(run())


def test_a_fetcher_of_another_kind_is_left_alone() -> None:
    asyncio.run(look_again(SimpleNamespace(_fetcher=object())))
    asyncio.run(look_again(SimpleNamespace()))


class Client:
    """Has records of some partitions, once."""

    def __init__(self, *partitions: int) -> None:
        self._records = {TopicPartition("orders", one): [SimpleNamespace(offset=7)] for one in partitions}
        self.paused: set[int] = set()

    def assignment(self) -> frozenset[TopicPartition]:
        return frozenset(TopicPartition("orders", one) for one in range(3))

    def pause(self, *places: TopicPartition) -> None:
        self.paused |= {place.partition for place in places}

    async def getmany(self, *, max_records: int) -> dict[TopicPartition, list[Any]]:
        found, self._records = self._records, {}
        return found


def test_what_is_fetched_ahead_waits_until_its_partition_is_served() -> None:
    """And no more of it is fetched meanwhile; what is served goes on."""

    async def run() -> None:
        served = {0}
        client = Client(0, 1)
        fetched = Fetched(client)
        assert [place.partition for place in await fetched.take(lambda: served, None)] == [0]
        assert client.paused == {1}
        served.add(1)
        assert [place.partition for place in await fetched.take(lambda: served, None)] == [1]
        assert client.paused == {1}

    asyncio.run(run())


def test_what_becomes_served_while_it_is_fetched_is_not_held_back() -> None:
    """It has been resumed by then, and nobody would resume it again."""

    async def run() -> None:
        served: set[int] = set()

        class Late(Client):
            async def getmany(self, *, max_records: int) -> dict[TopicPartition, list[Any]]:
                served.add(1)
                return await super().getmany(max_records=max_records)

        client = Late(1)
        assert [place.partition for place in await Fetched(client).take(lambda: served, None)] == [1]
        assert not client.paused

    asyncio.run(run())
