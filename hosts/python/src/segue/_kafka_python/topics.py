# SPDX-License-Identifier: Apache-2.0
"""What the cluster knows of topics, over a connection on which no fetch is ever waiting."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from kafka import KafkaConsumer, TopicPartition
from kafka.admin import ConfigResource, ConfigResourceType
from kafka.errors import KafkaError

from segue._drain.kafka_python import Admin
from segue._kafka_python.net_client import tidy
from segue._state.engine import Engine
from segue._state.log import log
from segue._state.policy import check_partitions, warn_unless_compacted


class Topics:
    """Any thread. client: on which no fetch is ever waiting."""

    def __init__(self, changelog: str, config: dict[str, Any]) -> None:
        self.changelog = changelog
        self._config = config
        self._there: frozenset[int] = frozenset()
        self.client = KafkaConsumer(group_id=None, enable_auto_commit=False, **tidy(config))

    def check(self, topics: Sequence[str]) -> int:
        """The number of partitions. Raises InputError and ChangelogError where topics are missing or do not fit."""
        self.client.topics()  # asks the cluster anew
        counts = {topic: len(self.client.partitions_for_topic(topic) or ()) for topic in (*topics, self.changelog)}
        check_partitions(self.changelog, counts)
        self._there = frozenset(range(counts[self.changelog]))
        return len(self._there)

    def ask(self, engine: Engine, timeout_ms: int) -> None:
        """Asks for the ends of changelogs that the engine wants to know. What only an old folder has, and the changelog
        has not, is left out: all others would have to wait for it. Raises what kafka-python raises.
        """
        answer = engine.answer
        if asked := engine.questions().among(self._there | answer.active | answer.standby | answer.learner):
            ends = self.client.end_offsets(self._places(asked.ends), timeout_ms)
            # As a rule they are known.
            places = self._places(asked.beginnings)
            beginnings = self.client.beginning_offsets(places, timeout_ms) if places else {}
            engine.answered(asked, _numbered(ends), _numbered(beginnings))

    def warn_unless_compacted(self) -> None:
        """Whether the right to ask is there or not: nobody waits for this."""
        try:
            policy = self._policy()
        except (KafkaError, KeyError) as fault:
            log.debug("the configuration of %s cannot be read: %r", self.changelog, fault)
            return
        warn_unless_compacted(self.changelog, policy)

    def close(self) -> None:
        self.client.close()

    def _policy(self) -> str:
        known = Admin.DEFAULT_CONFIG
        admin = Admin(**{key: value for key, value in self._config.items() if key in known})
        try:
            asked = ConfigResource(ConfigResourceType.TOPIC, self.changelog)
            found = admin.describe_configs([asked], config_filter="all")["topic"][self.changelog]
            return str(found["cleanup.policy"]["value"])
        finally:
            admin.close()

    def _places(self, partitions: Iterable[int]) -> list[Any]:
        return [TopicPartition(self.changelog, partition) for partition in sorted(partitions)]


def _numbered(offsets: dict[Any, int]) -> dict[int, int]:
    return {place.partition: offset for place, offset in offsets.items()}
