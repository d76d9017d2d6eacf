# SPDX-License-Identifier: Apache-2.0
"""What a member does beside assigning: marks, HTTP, the record; and where it stands, which it says when it joins. For
libsegue's configuration none of it counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from segue._errors import ConfigError
from segue._group import ConfigValue

HTTP_TOKEN = "segue.http.token"
RACK = "client.rack"
_RECORD = "segue.record.path"


@dataclass(frozen=True, slots=True)
class Settings:
    """marks_timeout_ms: how long the leader waits for marks at a rebalance. marks_poll_ms: how often a member looks for
    its own. scale_down_timeout_ms: the deadline of a mark that has none. http_port: 0 for any free one, None: not
    served. rack: where the member stands. record_path: None for what the environment says.
    """

    marks_timeout_ms: int = 300
    marks_poll_ms: int = 1_000
    scale_down_timeout_ms: int | None = None
    http_port: int | None = None
    http_host: str = "127.0.0.1"
    http_token: str | None = None
    rack: str | None = None
    record_path: str | None = None

    @classmethod
    def of(cls, config: Mapping[str, ConfigValue]) -> Settings:
        """Raises ConfigError, naming the key."""
        plain = cls()
        return cls(
            _number(config, "segue.marks.timeout.ms", 1, 10_000) or plain.marks_timeout_ms,
            _number(config, "segue.marks.poll.ms", 50, 3_600_000) or plain.marks_poll_ms,
            _number(config, "scale.down.timeout.ms", 0, 2**63 - 1),
            _number(config, "segue.http.port", 0, 65_535),
            _word(config, "segue.http.host") or plain.http_host,
            _word(config, HTTP_TOKEN),
            _word(config, RACK),
            _word(config, _RECORD),
        )


KEYS = frozenset(
    {
        "segue.marks.timeout.ms", "segue.marks.poll.ms", "segue.http.port", "segue.http.host",
        HTTP_TOKEN, RACK, _RECORD,
    }
)  # fmt: skip


def without(config: Mapping[str, ConfigValue]) -> dict[str, ConfigValue]:
    """What is left for libsegue."""
    return {key: value for key, value in config.items() if key not in KEYS}


def _number(config: Mapping[str, ConfigValue], key: str, least: int, most: int) -> int | None:
    value: Any = config.get(key)
    if value is None:
        return None
    try:
        number = int(value) if isinstance(value, str) or type(value) is int else None
    except ValueError:
        number = None
    if number is None or not least <= number <= most:
        raise ConfigError(f"{key}: a whole number from {least} to {most} is wanted, not {value!r}", code="bad-config")
    return number


def _word(config: Mapping[str, ConfigValue], key: str) -> str | None:
    value = config.get(key)
    return None if value is None else str(value).strip() or None
