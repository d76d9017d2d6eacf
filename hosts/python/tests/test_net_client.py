# SPDX-License-Identifier: Apache-2.0
"""The connections of segue's own clients of kafka-python, and the end of them."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("kafka", reason="kafka-python is not there")

from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer
from kafka.net.compat import KafkaNetClient
from kafka.net.transport import KafkaTCPTransport

from segue._kafka_python.net_client import NetClient, sockets, tidy


@pytest.fixture
def client() -> Iterator[Any]:
    made = NetClient(bootstrap_servers="127.0.0.1:1")
    yield made
    made.close()


def test_one_that_is_closed_while_it_connects_leaves_no_socket_behind(crowded: str) -> None:
    """Nor does it go on connecting."""
    client: Any = NetClient(bootstrap_servers=crowded)
    client._manager.bootstrap_async()
    client._net.drain()
    begun = sockets(client._net)
    client.close()
    assert len(begun) > 1
    assert [one.fileno() for one in begun] == [-1] * len(begun)


def test_one_that_is_closed_while_it_sends_leaves_no_socket_behind(client: Any) -> None:
    """The other side does not read any more."""
    here, there = socket.socketpair()
    with there:
        here.setblocking(False)
        transport = KafkaTCPTransport(client._net, here)
        transport.write(b"x" * (8 << 20))
        client._net.drain()
        transport.close()
        assert here.fileno() != -1, "it waits until all is sent"
        client.close()
        assert here.fileno() == -1


def test_it_may_be_closed_twice(client: Any) -> None:
    client.close()
    client.close()


def test_an_application_has_its_own_where_it_says_so() -> None:
    def own(**_: Any) -> None:
        pass

    assert tidy({"acks": 1}) == {"acks": 1, "kafka_client": NetClient}
    assert tidy({"kafka_client": KafkaNetClient}) == {"kafka_client": NetClient}
    assert tidy({"kafka_client": own}) == {"kafka_client": own}


@pytest.mark.parametrize("kind", [KafkaConsumer, KafkaProducer, KafkaAdminClient])
def test_every_client_takes_it(kind: Any) -> None:
    assert kind.DEFAULT_CONFIG["kafka_client"] is KafkaNetClient
