# SPDX-License-Identifier: Apache-2.0
"""The application's configuration of aiokafka, for each of the clients that a stateful consumer has."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer

from segue._errors import InputError

# What is ours, and why the application cannot have it.
TAKEN = {
    "partition_assignment_strategy": "the strategy is segue's: name one with assignor=",
    "enable_auto_commit": "segue commits, after changelog and store: auto_commit_interval_ms says how often",
}
# Members that do nothing hear of a rebalance at their next heartbeat, and everybody waits for them. A fetch that waits
# keeps the broker from reading what has been resumed meanwhile.
DEFAULTS: dict[str, Any] = {"auto_offset_reset": "earliest", "heartbeat_interval_ms": 500, "fetch_max_wait_ms": 100}


class Options:
    """member: of the consumer that the application reads with. shared: what the producer and the other consumers take
    of it, as how to reach the cluster. Raises InputError.
    """

    def __init__(self, given: Mapping[str, Any]) -> None:
        for key, reason in TAKEN.items():
            if given.get(key) not in (None, False):
                raise InputError(f"{key} is not taken: {reason}", code="bad-argument")
        if not given.get("group_id"):
            raise InputError("group_id is missing: partitions are shared in a group", code="bad-argument")
        known = _parameters(AIOKafkaConsumer)
        if unknown := given.keys() - known.keys():
            raise InputError(f"aiokafka has no such option: {', '.join(sorted(unknown))}", code="bad-argument")
        whole = {key: one.default for key, one in known.items()} | DEFAULTS | dict(given)
        self.commit_interval_s: float = whole["auto_commit_interval_ms"] / 1000
        self.member = DEFAULTS | {key: value for key, value in given.items() if key not in TAKEN}
        # As with Kafka's own client and kafka-python: a rebalance waits for an application as long as it may be busy.
        self.member["rebalance_timeout_ms"] = whole["rebalance_timeout_ms"] or whole["max_poll_interval_ms"]
        self.member["heartbeat_interval_ms"] = min(whole["heartbeat_interval_ms"], whole["session_timeout_ms"] // 3)
        shared = _parameters(AIOKafkaProducer).keys() & given.keys()
        self.shared = {key: given[key] for key in shared}


def _parameters(client: type[Any]) -> dict[str, inspect.Parameter]:
    """The options of a client, but for those that have gone and only warn."""
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return {
        name: one
        for name, one in inspect.signature(client).parameters.items()
        if one.kind not in kinds and name not in ("loop", "api_version")
    }
