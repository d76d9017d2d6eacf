# SPDX-License-Identifier: Apache-2.0
"""The tests' own clients of kafka-python: none leaves a socket behind, so that one which is left is a fault of segue's.

A consumer that is refused, or closed while it fetches, is closed as kafka-python closes it: in the midst of connecting
or sending. The garbage collector tells of that in whatever test runs then.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer
from kafka.errors import KafkaTimeoutError, RequestTimedOutError, TopicAlreadyExistsError

from broker.process import PATIENCE_S, wait_for
from segue._kafka_python.net_client import tidy

# A broker that stands still for a while has not lost what was asked of it; a producer that asks again writes it twice.
PATIENT = {"request_timeout_ms": PATIENCE_S * 1000, "bootstrap_timeout_ms": PATIENCE_S * 1000}
LASTING = {"delivery_timeout_ms": 2 * PATIENCE_S * 1000, "max_block_ms": PATIENCE_S * 1000}


def consumer(*topics: str, **options: Any) -> Any:
    return KafkaConsumer(*topics, **tidy(PATIENT | options))


def producer(server: str, **options: Any) -> Any:
    """Not idempotent: kafka-python's has once met numbers out of order on a topic that had just been made."""
    given = {"bootstrap_servers": server, "enable_idempotence": False}
    return KafkaProducer(**tidy(PATIENT | LASTING | given | options))


def make_topics(server: str, *topics: Any) -> None:
    """A controller that answers too late for the broker may have made them all the same."""
    late = False

    def made() -> bool:
        nonlocal late
        try:
            admin.create_topics(list(topics))
        except TopicAlreadyExistsError:
            if not late:
                raise
        except (RequestTimedOutError, KafkaTimeoutError):
            late = True
            return False
        return True

    with administrating(server) as admin:
        wait_for(made)


@contextmanager
def administrating(server: str) -> Iterator[Any]:
    """An admin client for as long."""
    made = KafkaAdminClient(**tidy(PATIENT | {"bootstrap_servers": server}))
    try:
        yield made
    finally:
        made.close()
