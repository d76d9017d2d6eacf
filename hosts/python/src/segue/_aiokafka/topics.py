# SPDX-License-Identifier: Apache-2.0
"""What the cluster knows of topics, over a connection on which no fetch is ever waiting."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.admin.config_resource import ConfigResourceType
from aiokafka.errors import KafkaError
from aiokafka.protocol.admin import DescribeConfigsRequest

from segue._state.engine import Engine
from segue._state.log import log
from segue._state.policy import check_partitions, warn_unless_compacted

# A topic that was made a moment ago may not be known everywhere yet.
LOOKS = 5
LOOK_AGAIN_S = 0.1
_POLICY = "cleanup.policy"


class Topics:
    """The input and its changelog."""

    def __init__(self, topics: Sequence[str], changelog: str) -> None:
        self.changelog = changelog
        self._topics = topics
        self._client: AIOKafkaConsumer | None = None

    async def start(self, options: Mapping[str, Any]) -> None:
        """Connects, and looks whether the topics fit. Raises ChangelogError and InputError."""
        self._client = AIOKafkaConsumer(**options, group_id=None, enable_auto_commit=False)
        await self._client.start()
        idle(self._client, TopicPartition(self.changelog, 0))
        for _ in range(LOOKS):
            await self.client.set_topics([self.changelog, *self._topics])
            await self.look_again()
            if all(self._count(topic) for topic in (self.changelog, *self._topics)):
                break
            await asyncio.sleep(LOOK_AGAIN_S)
        self.check()
        await self._look_at_policy(self.client)

    async def stop(self) -> None:
        if self._client is not None:
            await self._client.stop()

    @property
    def client(self) -> Any:
        """What it asks with, once it is started."""
        assert self._client is not None
        return self._client._client

    @property
    def partitions(self) -> int:
        """How many the changelog has."""
        return self._count(self.changelog)

    def check(self) -> None:
        """Raises ChangelogError and InputError unless every topic is there, with as many partitions."""
        check_partitions(self.changelog, {topic: self._count(topic) for topic in (self.changelog, *self._topics)})

    async def look_again(self) -> None:
        """Topics may have grown."""
        await self.client.force_metadata_update()

    async def ask(self, engine: Engine) -> None:
        """Asks for the ends of changelogs that the engine wants to know. A partition that the changelog has not got is
        left out: all others would have to wait for it.
        """
        assert self._client is not None
        if asked := engine.questions().among(range(self.partitions)):
            ends = await self._client.end_offsets(self._places(asked.ends))
            beginnings = await self._client.beginning_offsets(self._places(asked.beginnings))
            engine.answered(asked, _numbered(ends), _numbered(beginnings))

    async def _look_at_policy(self, client: Any) -> None:
        """Warns unless the changelog is compacted. Whoever has not the right to ask goes on without."""
        asked = DescribeConfigsRequest([(ConfigResourceType.TOPIC, self.changelog, [_POLICY])])
        try:
            answer = await client.send(client.get_random_node(), asked)
        except KafkaError as fault:
            log.debug("the configuration of %s cannot be read: %r", self.changelog, fault)
            return
        for _, _, _, _, entries in answer.resources:
            for key, value, *_ in entries:
                if key == _POLICY:
                    warn_unless_compacted(self.changelog, value)

    def _count(self, topic: str) -> int:
        return 0 if self._client is None else len(self._client.partitions_for_topic(topic) or ())

    def _places(self, partitions: Iterable[int]) -> list[TopicPartition]:
        return [TopicPartition(self.changelog, partition) for partition in sorted(partitions)]


def idle(client: AIOKafkaConsumer, place: TopicPartition) -> None:
    """Has it read nothing. A client without any assignment asks for the metadata of all topics there are."""
    client.assign([place])
    client.pause(place)


def _numbered(offsets: Mapping[TopicPartition, int]) -> dict[int, int]:
    return {place.partition: offset for place, offset in offsets.items()}
