# SPDX-License-Identifier: Apache-2.0
"""Options of the assignor: those of the class, and for what it does not say the environment's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from segue._errors import ConfigError
from segue._group import ConfigValue

ACCEPTABLE = "acceptable.recovery.lag"
BATCH = "segue.ready.batch.ms"
PROBING = "probing.rebalance.interval.ms"
FETCH_WAIT = "segue.fetch.max.wait.ms"
LEARNING_BYTES = "segue.learning.fetch.bytes"

# Whole numbers that a worker heeds itself, with their defaults.
_OWN = {ACCEPTABLE: 10_000, BATCH: 500, PROBING: 600_000, FETCH_WAIT: 100, LEARNING_BYTES: 32_768}
# Of these libsegue knows nothing.
_NOT_IN_GROUP = (FETCH_WAIT, LEARNING_BYTES)

# What the environment may say. Kafka's own names get SEGUE_ in front.
NAMES = (
    "learner.partial.rebalance",
    "num.standby.replicas",
    "scale.down.timeout.ms",
    "segue.http.host",
    "segue.http.port",
    "segue.http.token",
    "segue.isolation",
    "segue.marks.poll.ms",
    "segue.marks.timeout.ms",
    "segue.max.compute.ms",
    "segue.max.faults",
    "segue.max.learners",
    "segue.max.learners.per.member",
    "segue.spread.subtopologies",
    "stream.imbalance.percentage",
    *_OWN,
)


@dataclass(frozen=True, slots=True)
class Settings:
    """group: for libsegue, and for drains. own: what this worker heeds itself."""

    group: Mapping[str, ConfigValue]
    own: Mapping[str, int]


def settings(config: Mapping[str, ConfigValue], standbys: int, environment: Mapping[str, str]) -> Settings:
    """standbys: Faust's own `table_standby_replicas`, which `num.standby.replicas` overrides.

    Raises ConfigError for what a worker heeds itself; the rest is libsegue's to judge.
    """
    said = {name: environment[variable(name)] for name in NAMES if variable(name) in environment}
    group: dict[str, ConfigValue] = {"num.standby.replicas": standbys, **said, **config}
    own = {name: _whole(name, group.get(name, default)) for name, default in _OWN.items()}
    for name in _NOT_IN_GROUP:
        group.pop(name, None)
    return Settings(group, own)


def variable(name: str) -> str:
    """The environment's name of an option: SEGUE_MAX_LEARNERS, SEGUE_NUM_STANDBY_REPLICAS."""
    plain = name.upper().replace(".", "_")
    return plain if plain.startswith("SEGUE_") else f"SEGUE_{plain}"


def _whole(name: str, value: ConfigValue) -> int:
    try:
        number = -1 if isinstance(value, (bool, float)) else int(value)
    except ValueError:
        number = -1
    if number < 0:
        raise ConfigError(f"{name}: a whole number, 0 or more, is wanted; {value!r} is given", code="bad-config")
    return number
