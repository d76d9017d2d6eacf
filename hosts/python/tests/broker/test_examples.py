# SPDX-License-Identifier: Apache-2.0
"""The examples, as somebody would try them."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from pathlib import Path

from cluster import Cluster
from kafka.admin import NewTopic

from broker import clients
from broker.process import PATIENCE_S, wait_for

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
RECORDS = 20


def test_one_example_goes_on_counting_where_the_other_was(broker: Cluster, tmp_path: Path) -> None:
    """Both count for one group, each ends quietly when it is interrupted, and whoever comes next knows the counts."""
    make_topics(broker.plain)
    for turn, example in enumerate(("counting_kafka_python.py", "counting_aiokafka.py", "counting_kafka_python.py")):
        send(broker.plain)
        count_until(f"ann {(turn + 1) * RECORDS}", EXAMPLES / example, broker.plain, str(tmp_path / example))


def make_topics(server: str) -> None:
    compacted = {"cleanup.policy": "compact"}
    clients.make_topics(server, NewTopic("orders", 2, 1), NewTopic("order-counts", 2, 1, topic_configs=compacted))


def send(server: str) -> None:
    """More orders of one customer."""
    producer = clients.producer(server)
    for _ in range(RECORDS):
        producer.send("orders", b"one order", key=b"ann")
    producer.close(PATIENCE_S)


def end(process: subprocess.Popen[str]) -> int:
    """Its exit status; one that does not end by itself is killed, so that the test fails and does not hang."""
    try:
        return process.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def count_until(last: str, *command: object) -> None:
    """Runs an example until it prints this line."""
    with subprocess.Popen(
        [sys.executable, "-X", "dev", "-B", *map(str, command)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        printed: list[str] = []
        reader = threading.Thread(target=lambda: printed.extend(process.stdout or ()), daemon=True)
        reader.start()
        try:
            wait_for(lambda: f"{last}\n" in printed, lambda: f"printed: {printed[-5:]}")
        finally:
            process.send_signal(signal.SIGINT)
            status = end(process)
            reader.join()
        assert process.stderr is not None
        said = process.stderr.read()
    assert (status, printed[-1]) == (0, f"{last}\n"), said
    assert "Traceback" not in said
