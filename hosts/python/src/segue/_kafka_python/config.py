# SPDX-License-Identifier: Apache-2.0
"""The application's configuration of kafka-python, for each of the clients that a stateful consumer has."""

from __future__ import annotations

from typing import Any

from kafka import KafkaConsumer, KafkaProducer

from segue._errors import InputError

# What is ours, and why the application cannot have it.
TAKEN = {
    "partition_assignment_strategy": "the strategy is segue's: name one with assignor=",
    "enable_auto_commit": "segue commits, after changelog and store: auto_commit_interval_ms says how often",
}
# Members that do nothing hear of a rebalance at their next heartbeat, and everybody waits for them. A fetch that
# waits keeps
# the broker from reading what has been resumed meanwhile.
DEFAULTS: dict[str, Any] = {"auto_offset_reset": "earliest", "heartbeat_interval_ms": 500, "fetch_max_wait_ms": 100}


class Config:
    """main: of the consumer that the application reads with. shared: what the producer and the other consumers take
    of it, as how to reach the cluster. Raises InputError.
    """

    def __init__(self, given: dict[str, Any]) -> None:
        for key, reason in TAKEN.items():
            if given.get(key) not in (None, False):
                raise InputError(f"{key} is not taken: {reason}", code="bad-argument")
        if not given.get("group_id"):
            raise InputError("group_id is missing: partitions are shared in a group", code="bad-argument")
        if unknown := given.keys() - KafkaConsumer.DEFAULT_CONFIG.keys():
            raise InputError(f"kafka-python has no such option: {', '.join(sorted(unknown))}", code="bad-argument")
        whole = KafkaConsumer.DEFAULT_CONFIG | DEFAULTS | given
        self.commit_interval_s: float = whole["auto_commit_interval_ms"] / 1000
        self.consumer_timeout_ms: float = whole["consumer_timeout_ms"]
        self.request_timeout_ms: int = whole["request_timeout_ms"]
        self.main = DEFAULTS | given | {"enable_auto_commit": False}
        self.main.pop("partition_assignment_strategy", None)
        self.main["heartbeat_interval_ms"] = min(
            whole["heartbeat_interval_ms"], max(1, given.get("session_timeout_ms", 45_000) // 3)
        )
        self.shared = {key: given[key] for key in given.keys() & KafkaProducer.DEFAULT_CONFIG.keys()}
