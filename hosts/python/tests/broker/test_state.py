# SPDX-License-Identifier: Apache-2.0
"""StatefulConsumers of both clients in this process: how they are read, and what they say where something is wrong."""

from __future__ import annotations

import itertools
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

import pytest
from kafka import TopicPartition
from kafka.admin import NewPartitions, NewTopic
from kafka.errors import InconsistentGroupProtocolError

from broker import clients
from broker.blocking import AnyConsumer, BlockingConsumer
from broker.process import PATIENCE_S
from segue import ChangelogError, ClosedError, InputError, MemoryStore, NotOwnedError, Record, Store, StoreError
from segue.kafka_python import SegueAssignor, StatefulConsumer

names = itertools.count(1)


class Place:
    """Topics of a test of its own, and consumers on them."""

    def __init__(self, server: str, kind: type[AnyConsumer]) -> None:
        self.server = server
        self.kind = kind
        self.name = f"mistakes-{next(names)}"
        self.changelog = f"{self.name}-changelog"
        self.made: list[AnyConsumer] = []

    def topics(self, *topics: NewTopic) -> None:
        clients.make_topics(self.server, *topics)

    def usual(self, partitions: int = 1) -> None:
        compacted = {"cleanup.policy": "compact"}
        self.topics(
            NewTopic(self.name, partitions, 1), NewTopic(self.changelog, partitions, 1, topic_configs=compacted)
        )

    def send(self, *values: bytes, topic: str = "") -> None:
        producer = clients.producer(self.server)
        for value in values:
            producer.send(topic or self.name, value, key=b"key", partition=0).get(PATIENCE_S)
        producer.close()

    def consumer(self, *topics: str, store: Store | None = None, **more: Any) -> AnyConsumer:
        made = self.kind(
            *(topics or (self.name,)), changelog=self.changelog, store=store or MemoryStore(), group_id=self.name,
            bootstrap_servers=self.server, **{"session_timeout_ms": 60_000, **more},
        )  # fmt: skip
        self.made.append(made)
        return made

    def committed(self) -> int | None:
        """The offset of the first partition that the group has committed."""
        with clients.administrating(self.server) as admin:
            found = admin.list_group_offsets(self.name)[self.name].get(TopicPartition(self.name, 0))
        return None if found is None else int(found.offset)

    def read(self, consumer: AnyConsumer, count: int) -> list[Any]:
        """Polls until so many records are there."""
        found: list[Any] = []
        deadline = time.monotonic() + PATIENCE_S
        while len(found) < count:
            assert time.monotonic() < deadline, f"only {len(found)} of {count} records came"
            found += itertools.chain(*consumer.poll(100).values())
        return found


@pytest.fixture(params=[StatefulConsumer, BlockingConsumer], ids=["kafka-python", "aiokafka"])
def place(broker: Any, request: pytest.FixtureRequest) -> Iterator[Place]:
    made = Place(broker.plain, request.param)
    yield made
    for one in made.made:
        one.close()


class Failing(MemoryStore):
    """Raises once in the method named."""

    def __init__(self, method: str) -> None:
        super().__init__()
        self._method = method
        self.starts = 0

    def _fail(self, method: str) -> None:
        if self._method == method:
            self._method = ""
            raise OSError("the disk is full")

    def restore(self, partition: int, records: Sequence[Record]) -> None:
        self._fail("restore")
        super().restore(partition, records)

    def start(self, partition: int) -> None:
        self._fail("start")
        self.starts += 1

    def flush(self, partition: int, position: int, applied: Mapping[str, int]) -> None:
        self._fail("flush")
        super().flush(partition, position, applied)


class Own(Store):
    """A store that is none of segue's kinds."""

    def __init__(self) -> None:
        self.sums: dict[int, int] = {}

    def restore(self, partition: int, records: Sequence[Record]) -> None:
        self.sums[partition] = int(records[-1].value)

    def start(self, partition: int) -> None:
        self.sums.setdefault(partition, 0)

    def stop(self, partition: int) -> None:
        pass


def test_a_batch_is_done_when_the_next_is_asked_for(place: Place) -> None:
    """With poll(); what the state has is there for the next consumer, and its records do not come again."""
    place.usual()
    place.send(b"1", b"2", b"3")
    with place.consumer() as consumer:
        for record in place.read(consumer, 3):
            consumer.state(0)[record.value] = b"seen"
    place.send(b"4")
    with place.consumer() as consumer:
        assert [record.value for record in place.read(consumer, 1)] == [b"4"]
        assert sorted(consumer.state(0)) == [b"1", b"2", b"3"]


def test_what_an_exception_leaves_undone_comes_again(place: Place) -> None:
    """Nothing of that record has reached the changelog, and the ones before are done."""
    place.usual()
    place.send(b"1", b"2")
    with pytest.raises(ZeroDivisionError):
        _fail_at(b"2", place)
    with place.consumer() as consumer:
        record = next(consumer)
        assert record.value == b"2"
        assert not consumer.applied(record)
        assert list(consumer.state(0)) == [b"1"]


def test_topics_of_one_task_share_its_state(place: Place) -> None:
    """Partition 0 of both is one task, with one state."""
    place.usual()
    place.topics(NewTopic(f"{place.name}-more", 1, 1))
    place.send(b"1")
    place.send(b"2", topic=f"{place.name}-more")
    with place.consumer(place.name, f"{place.name}-more") as consumer:
        assert {record.value for record in place.read(consumer, 2)} == {b"1", b"2"}
        assert {where.topic for where in consumer.assignment()} == {place.name, f"{place.name}-more"}


def test_a_store_of_ones_own_writes_the_changelog(place: Place) -> None:
    """And gets back what it wrote."""
    place.usual()
    place.send(b"3", b"4")
    store = Own()
    with place.consumer(store=store) as consumer:
        for record in place.read(consumer, 2):
            store.sums[0] += int(record.value)
            consumer.log(0, b"sum", b"%d" % store.sums[0])
        with pytest.raises(InputError, match="Own has a state of its own"):
            consumer.state(0)
    place.send(b"5")
    store = Own()
    with place.consumer(store=store) as consumer:
        place.read(consumer, 1)
        assert store.sums == {0: 7}


@pytest.mark.parametrize("method", ["restore", "start"])
def test_a_store_that_fails_is_told_and_asked_again(place: Place, method: str) -> None:
    """The exception says which call it was; the consumer goes on when the store does."""
    place.usual()
    place.send(b"2", topic=place.changelog)
    place.send(b"1")
    store = Failing(method)
    with place.consumer(store=store) as consumer:
        with pytest.raises(StoreError, match=rf"Failing\.{method}\(\) failed.*the disk is full"):
            place.read(consumer, 1)
        place.read(consumer, 1)
        assert dict(consumer.state(0)) == {b"key": b"2"}
        assert store.starts == 1


def test_nothing_is_committed_that_the_store_has_not_kept(place: Place) -> None:
    """A flush that fails is raised; the records are done when one succeeds."""
    place.usual()
    place.send(b"1")
    with place.consumer(store=Failing("flush")) as consumer:
        place.read(consumer, 1)
        consumer.state(0)[b"key"] = b"1"
        with pytest.raises(StoreError, match=r"partition 0: Failing\.flush\(\) failed"):
            consumer.commit()
        assert place.committed() is None
        consumer.commit()
        assert place.committed() == 1


def test_writing_what_is_not_owned_is_refused(place: Place) -> None:
    """Before it is owned, and with what no changelog takes."""
    place.usual()
    place.send(b"1")
    with place.consumer() as consumer:
        with pytest.raises(NotOwnedError, match="partition 0"):
            consumer.state(0)
        place.read(consumer, 1)
        with pytest.raises(InputError, match="are bytes"):
            consumer.state(0)[b"key"] = "text"  # type: ignore[assignment]


@pytest.mark.parametrize(
    ("partitions", "said"), [(0, "is missing: the changelog is a compacted topic"), (3, r"has 2 partitions and .* 3")]
)
def test_a_changelog_that_does_not_fit_is_refused(place: Place, partitions: int, said: str) -> None:
    """At once, with what would be right."""
    place.topics(NewTopic(place.name, 2, 1))
    if partitions:
        place.topics(NewTopic(place.changelog, partitions, 1))
    with pytest.raises(ChangelogError, match=said):
        place.consumer()


def test_a_changelog_that_is_not_compacted_is_told(place: Place, caplog: pytest.LogCaptureFixture) -> None:
    """Nobody would miss anything before it is too late."""
    place.topics(NewTopic(place.name, 1, 1), NewTopic(place.changelog, 1, 1))
    place.send(b"1")
    with caplog.at_level(logging.WARNING, "segue"), place.consumer() as consumer:
        _until(lambda: "has cleanup.policy=delete" in caplog.text, consumer)


def test_an_input_that_grows_is_told(place: Place) -> None:
    """The new partition has no changelog; what it does not say is not lost."""
    place.usual()
    with place.consumer(metadata_max_age_ms=200) as consumer:
        place.send(b"1")
        place.read(consumer, 1)
        with clients.administrating(place.server) as admin:
            admin.create_partitions({place.name: NewPartitions(2)})
        with pytest.raises(ChangelogError, match=r"has 2 partitions and .* 1"):
            _until(lambda: False, consumer)


def test_members_without_state_are_refused(place: Place) -> None:
    """They share no group: who comes second is told."""
    place.usual()
    place.send(b"1")
    with place.consumer() as consumer:
        place.read(consumer, 1)
        other = clients.consumer(
            place.name, group_id=place.name, bootstrap_servers=place.server,
            partition_assignment_strategy=[SegueAssignor("learner")],
        )  # fmt: skip
        with closing(other), pytest.raises(InconsistentGroupProtocolError):
            _until(lambda: False, other)


def test_a_closed_consumer_says_so(place: Place) -> None:
    """Also twice."""
    place.usual()
    consumer = place.consumer()
    consumer.close()
    consumer.close()
    with pytest.raises(ClosedError):
        consumer.poll()
    with pytest.raises(ClosedError):
        consumer.commit()
    assert list(consumer) == []


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"enable_auto_commit": True}, "segue commits"),
        ({"partition_assignment_strategy": []}, "assignor="),
        ({"group_id": None}, "group_id is missing"),
        ({"colour": "red"}, "no such option: colour"),
    ],
)
def test_options_that_cannot_be_are_refused(place: Place, config: dict[str, Any], said: str) -> None:
    """With the reason."""
    options = {"group_id": "group", "bootstrap_servers": place.server, **config}
    with pytest.raises(InputError, match=said):
        place.kind("orders", changelog="counts", store=MemoryStore(), **options)


def _fail_at(value: bytes, place: Place) -> None:
    """An application that raises after it has written for that record."""
    with place.consumer() as consumer:
        for record in consumer:
            consumer.state(0)[record.value] = b"seen"
            if record.value == value:
                raise ZeroDivisionError


def _until(condition: Callable[[], bool], consumer: Any) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline
        consumer.poll(100)
