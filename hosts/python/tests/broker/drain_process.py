# SPDX-License-Identifier: Apache-2.0
"""An attached consumer in a process of its own, until it is drained: drain_process.py CLIENT TOPIC ASSIGNOR OPTIONS

CLIENT is kafka-python or aiokafka; OPTIONS are the consumer's, in JSON. Standard input takes a line of JSON to do,
`{"do": "drain", "timeout": 5}`, `cancel`, `close`; standard output tells in lines of JSON what it holds, `{"holds": [0,
1]}`, where HTTP is served, `{"port": 8080}`, and how a drain has ended, `{"drained": "emptied"}`.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import segue

SETTINGS: dict[str, Any] = {"segue_marks_poll_ms": 200, "segue_http_port": 0, "segue_http_token": "s3cret"}
COMMON: dict[str, Any] = {
    "auto_offset_reset": "earliest",
    "session_timeout_ms": 60_000,
    "heartbeat_interval_ms": 300,
    "fetch_max_wait_ms": 100,
}


def say(**what: Any) -> None:
    print(json.dumps(what), flush=True)


def obey(instance: segue.Instance, close: Callable[[], None]) -> None:
    """Does what is said until there is no more."""
    for line in sys.stdin:
        command = json.loads(line)
        if command["do"] == "drain":
            instance.drain(command["timeout"]).add_done_callback(_ended)
        elif command["do"] == "cancel":
            instance.cancel_drain()
    close()


def _ended(drain: Future[segue.DrainResult]) -> None:
    say(drained=drain.result().value)


def look(instance: segue.Instance, holds: Callable[[], Any]) -> None:
    """Tells what changes, from a thread of its own: an empty consumer gives out nothing."""
    known: Any = None
    while not instance.closed:
        if (now := sorted(place.partition for place in holds())) != known:
            say(holds=(known := now))
        threading.Event().wait(0.05)
    say(holds=[])


def begin(instance: segue.Instance, holds: Callable[[], Any], close: Callable[[], None]) -> None:
    # Longer than any test waits: who ends sooner has been drained, or waits for nobody.
    segue.drain_on_sigterm(instance, timeout=600)
    say(port=instance.http_port, id=instance.id)
    threading.Thread(target=look, args=(instance, holds), daemon=True).start()
    threading.Thread(target=obey, args=(instance, close), daemon=True).start()


def run_kafka_python(topic: str, assignor: str, options: dict[str, Any]) -> None:
    from kafka import KafkaConsumer

    from segue.kafka_python import SegueAssignor, attach

    consumer = KafkaConsumer(
        topic,
        partition_assignment_strategy=[SegueAssignor(assignor, **SETTINGS)],
        consumer_timeout_ms=500,
        **COMMON | options,
    )
    closing = threading.Event()
    instance = attach(consumer)
    begin(instance, consumer.assignment, closing.set)
    while not closing.is_set() and not instance.closed:
        for _ in consumer:
            pass
    consumer.close()


async def run_aiokafka(topic: str, assignor: str, options: dict[str, Any]) -> None:
    from aiokafka import AIOKafkaConsumer
    from aiokafka.helpers import create_ssl_context

    from segue.aiokafka import SegueAssignor, attach

    if authority := options.pop("ssl_cafile", None):
        options["ssl_context"] = create_ssl_context(cafile=authority)
    consumer = AIOKafkaConsumer(
        topic, partition_assignment_strategy=[SegueAssignor(assignor, **SETTINGS)], **COMMON | options
    )
    loop = asyncio.get_running_loop()
    begin(
        attach(consumer), consumer.assignment, lambda: asyncio.run_coroutine_threadsafe(consumer.stop(), loop).result()
    )
    async with consumer:
        async for _ in consumer:
            pass


def main(client: str, topic: str, assignor: str, options: str) -> None:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(levelname)s %(message)s")
    if client == "aiokafka":
        asyncio.run(run_aiokafka(topic, assignor, json.loads(options)))
    else:
        run_kafka_python(topic, assignor, json.loads(options))


if __name__ == "__main__":
    main(*sys.argv[1:])
