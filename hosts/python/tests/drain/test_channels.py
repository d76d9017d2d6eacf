# SPDX-License-Identifier: Apache-2.0
"""The clients' ways to the brokers where there are none; tests/broker has them with a broker."""

from __future__ import annotations

import asyncio
import gc
import socket
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from aiokafka import AIOKafkaConsumer
from aiokafka.coordinator.assignors.range import RangePartitionAssignor
from kafka import KafkaConsumer
from kafka.errors import KafkaError

import segue._drain.aiokafka
import segue._drain.kafka_python
import segue.aiokafka
from drain.fakes import wait_for
from segue._drain.channel import Channel, ChannelError, SharedChannels
from segue._kafka_python.net_client import sockets


@pytest.fixture
def nowhere() -> Iterator[str]:
    """An address of loopback where nobody listens."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{bound.getsockname()[1]}"


@pytest.fixture(params=["kafka-python", "aiokafka"])
def channel(request: pytest.FixtureRequest, nowhere: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Channel]:
    made: Channel
    if request.param == "aiokafka":
        monkeypatch.setattr(segue._drain.aiokafka, "_REQUEST_MS", 300)
        client = SimpleNamespace(_bootstrap_servers=nowhere, _client_id="orders-1", _request_timeout_ms=300)
        made = segue._drain.aiokafka.AiokafkaChannel(client)
    else:
        monkeypatch.setattr(segue._drain.kafka_python, "_REQUEST_MS", 300)
        config = KafkaConsumer.DEFAULT_CONFIG | {"bootstrap_servers": nowhere, "group_id": "shop"}
        made = segue._drain.kafka_python.KafkaPythonChannel(config)
    yield made
    made.close()


# kafka-python leaves sockets of failed connections to the garbage collector.
@pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")
def test_without_a_broker_every_call_fails_and_leaves_nothing_behind(channel: Channel) -> None:
    """It is tried again every second, for as long as a broker is away."""
    before = threading.active_count()
    for call in (
        lambda: channel.read(["a"]),
        lambda: channel.write("a", ("orders", 0), "text"),
        lambda: channel.delete("a"),
        channel.groups,
    ):
        with pytest.raises(ChannelError):
            call()
    wait_for(lambda: threading.active_count() <= before)
    channel.close()
    gc.collect()


def test_a_channel_may_be_closed_before_it_was_used(channel: Channel) -> None:
    """As by a consumer that ends at once; a leader may ask it a moment later."""
    channel.close()
    with pytest.raises(ChannelError, match="closed"):
        channel.read(["a"])


def test_security_settings_are_the_consumers() -> None:
    """Whatever the consumer comes in by, its channel comes in by the same."""
    security = {"security_protocol": "SASL_SSL", "sasl_mechanism": "SCRAM-SHA-512", "sasl_plain_username": "me",
                "sasl_plain_password": "secret"}  # fmt: skip
    given = {"bootstrap_servers": ["a:1"], "client_id": "orders-1", "ssl_cafile": "/ca.pem", "metrics_num_samples": 3}
    made = segue._drain.kafka_python.admin_config(KafkaConsumer.DEFAULT_CONFIG | given | security)
    assert made | security | {"client_id": "orders-1-segue", "ssl_cafile": "/ca.pem"} == made
    assert "metrics_num_samples" not in made
    assert "group_id" not in made
    context = object()
    client = SimpleNamespace(
        _client_id="orders-1", _request_timeout_ms=40_000, _ssl_context=context,
        **{f"_{key}": value for key, value in security.items()},
    )  # fmt: skip
    settings = segue._drain.aiokafka.client_settings(client)
    assert settings | security | {"client_id": "orders-1-segue", "ssl_context": context} == settings
    assert settings["request_timeout_ms"] == 5_000


class Counted:
    """A channel of which only the end counts."""

    closed = 0

    def close(self) -> None:
        self.closed += 1


def test_members_of_a_process_share_a_channel_which_the_last_one_closes() -> None:
    channels, made = SharedChannels(), []

    def make() -> Channel:
        made.append(Counted())
        return made[-1]  # type: ignore[return-value]  # nothing else is asked of it

    assert channels.take("a", make) is channels.take("a", make)
    assert channels.take("b", make) is not channels.take("a", make)
    for _ in range(2):
        channels.give_back("a")
    assert [one.closed for one in made] == [0, 0]
    channels.give_back("a")
    assert [one.closed for one in made] == [1, 0]
    channels.take("a", make)
    assert len(made) == 3


def test_a_consumer_is_attached_once_and_only_where_there_is_something_to_leave(nowhere: str) -> None:
    """What is wrong is said at once, and nothing is changed at the consumer."""

    async def attach() -> None:
        def consumer(*strategies: Any, group: str | None = "shop") -> AIOKafkaConsumer:
            return AIOKafkaConsumer(
                "orders", bootstrap_servers=nowhere, group_id=group, partition_assignment_strategy=strategies
            )

        assignor = segue.aiokafka.SegueAssignor("learner")
        strangers = consumer(RangePartitionAssignor), consumer(assignor, group=None)
        for stranger, words in zip(strangers, ("no SegueAssignor", "no group_id"), strict=True):
            with pytest.raises(segue.InputError, match=words):
                segue.aiokafka.attach(stranger)
            await stranger.stop()
        ours = consumer(assignor)
        instance = segue.aiokafka.attach(ours)
        with pytest.raises(segue.InputError, match="attached already"):
            segue.aiokafka.attach(ours)
        assert not instance.ready
        await ours.stop()
        assert instance.closed

    asyncio.run(attach())


def test_an_answer_can_be_awaited_and_waited_for() -> None:
    """Applications with an event loop and those with threads have the same."""
    pending: segue.Pending[str] = segue.Pending()
    threading.Timer(0.01, lambda: pending.set_result("done")).start()

    async def wait() -> str:
        return await pending

    assert asyncio.run(wait()) == pending.result(20) == "done"


def test_what_fails_when_nobody_waits_any_more_is_told_to_nobody(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It was given up before, with an error of its own; asyncio would complain of it at some later time."""

    async def late() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            raise OSError("too late") from None

    async def closed() -> None:
        pass

    monkeypatch.setattr(segue._drain.aiokafka, "_CALL_S", 0.2)
    settings = {"_bootstrap_servers": "127.0.0.1:1", "_client_id": "orders-1", "_request_timeout_ms": 300}
    channel = segue._drain.aiokafka.AiokafkaChannel(SimpleNamespace(**settings))
    client: Any = SimpleNamespace(close=closed)
    channel._client = client
    with pytest.raises(ChannelError, match="no answer in time"):
        channel._call(late())
    channel.close()
    gc.collect()
    assert caplog.text == ""


def test_an_admin_client_that_is_closed_while_it_connects_leaves_no_socket_behind(crowded: str) -> None:
    """Nor does it go on connecting."""
    kafka_python = segue._drain.kafka_python
    admin = kafka_python.Admin.__new__(kafka_python.Admin)
    refused: list[BaseException] = []

    def connect() -> None:
        try:
            admin.__init__(bootstrap_servers=crowded, bootstrap_timeout_ms=30_000)  # type: ignore[misc]
        except KafkaError as fault:
            refused.append(fault.with_traceback(None))

    connecting = threading.Thread(target=connect)
    connecting.start()
    wait_for(lambda: hasattr(admin, "_net") and len(sockets(admin._net)) > 1)
    begun = sockets(admin._net)
    admin._closed = False
    admin.close()
    connecting.join(10)
    assert refused
    assert [one.fileno() for one in begun] == [-1] * len(begun)
