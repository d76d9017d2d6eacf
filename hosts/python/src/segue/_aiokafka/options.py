# SPDX-License-Identifier: Apache-2.0
"""aiokafka's options, and what only its consumer needs."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer

from segue._state.options import Options


def options_of(given: Mapping[str, Any]) -> Options:
    """Raises InputError."""
    options = Options("aiokafka", given, consumer=_defaults(AIOKafkaConsumer), producer=_defaults(AIOKafkaProducer))
    # As with Kafka's own client and kafka-python: a rebalance waits for an application as long as it may be busy.
    whole = options.whole
    options.member["rebalance_timeout_ms"] = whole["rebalance_timeout_ms"] or whole["max_poll_interval_ms"]
    return options


def _defaults(client: type[Any]) -> dict[str, Any]:
    """The options of a client, but for those that have gone and only warn."""
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return {
        name: one.default
        for name, one in inspect.signature(client).parameters.items()
        if one.kind not in kinds and name not in ("loop", "api_version")
    }
