# SPDX-License-Identifier: Apache-2.0
"""The application's options of its client, for each of the clients that a stateful consumer has."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

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
    """What holds of every client.

    client: its name. consumer: the options of its consumer, each with its default; producer: those of its producer.

    whole: all options. member: of the consumer that the application reads with, without what is ours. shared: what the
    producer and the other consumers take of it, as how to reach the cluster. Raises InputError.
    """

    def __init__(
        self, client: str, given: Mapping[str, Any], *, consumer: Mapping[str, Any], producer: Collection[str]
    ) -> None:
        for key, reason in TAKEN.items():
            if given.get(key) not in (None, False):
                raise InputError(f"{key} is not taken: {reason}", code="bad-argument")
        if not given.get("group_id"):
            raise InputError("group_id is missing: partitions are shared in a group", code="bad-argument")
        if unknown := given.keys() - consumer.keys():
            raise InputError(f"{client} has no such option: {', '.join(sorted(unknown))}", code="bad-argument")
        self.whole: dict[str, Any] = {**consumer, **DEFAULTS, **given}
        self.commit_interval_s: float = self.whole["auto_commit_interval_ms"] / 1000
        self.member = DEFAULTS | {key: value for key, value in given.items() if key not in TAKEN}
        # A session of three heartbeats or more is what the clients ask for.
        longest_ms = max(1, self.whole["session_timeout_ms"] // 3)
        self.member["heartbeat_interval_ms"] = min(self.whole["heartbeat_interval_ms"], longest_ms)
        self.shared = {key: given[key] for key in given.keys() & set(producer)}
