# SPDX-License-Identifier: Apache-2.0
"""Topics of the stateful tests: an input and its compacted changelog, and state that is there from the start."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from kafka import TopicPartition
from kafka.admin import NewTopic

from broker import clients
from broker.process import PATIENCE_S
from broker.steady import key


def changelog_of(topic: str) -> str:
    return f"{topic}-changelog"


def make_topics(server: str, topic: str, partitions: int) -> None:
    compacted = {"cleanup.policy": "compact"}
    made = NewTopic(topic, partitions, 1), NewTopic(changelog_of(topic), partitions, 1, topic_configs=compacted)
    clients.make_topics(server, *made)


def fill(server: str, topic: str, partitions: Iterable[int], keys: int) -> Counter[tuple[int, bytes]]:
    """As if every key had been counted once before; returns that."""
    producer = clients.producer(server, linger_ms=50, batch_size=1 << 19)
    try:
        for partition in partitions:
            for number in range(keys):
                producer.send(changelog_of(topic), b"1", key=key(number), partition=partition)
    finally:
        producer.close(PATIENCE_S)
    return Counter({(partition, key(number)): 1 for partition in partitions for number in range(keys)})


def replay(server: str, topic: str, partitions: Iterable[int]) -> dict[tuple[int, bytes], bytes]:
    """The state that the changelog says."""
    places = [TopicPartition(changelog_of(topic), partition) for partition in partitions]
    consumer = clients.consumer(bootstrap_servers=server, auto_offset_reset="earliest")
    state = {}
    try:
        consumer.assign(places)
        ends = consumer.end_offsets(places)
        while any(consumer.position(place) < ends[place] for place in places):
            for place, records in consumer.poll(timeout_ms=500).items():
                state.update({(place.partition, record.key): record.value for record in records})
    finally:
        consumer.close()
    return {place: value for place, value in state.items() if value is not None}
