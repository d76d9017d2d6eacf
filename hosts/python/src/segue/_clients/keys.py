# SPDX-License-Identifier: Apache-2.0
"""Which options there are. A document may have keys of others; who gives an option to segue means one of these."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from segue._abi import CONFIG_KEYS
from segue._drain import settings
from segue._errors import ConfigError

_OURS = "segue."
_KNOWN = (*CONFIG_KEYS, *settings.KEYS, "rack.aware.assignment.tags", "scale.down.timeout.ms", "segue.assignor",
          "segue.isolation", "segue.max.faults", "segue.max.learners")  # fmt: skip


def check_keys(keys: Iterable[str]) -> None:
    """Raises ConfigError for a name that nobody reads, with the nearest. Of those under `segue.` libsegue says so."""
    for key in keys:
        if key not in _KNOWN and not key.startswith(_OURS):
            raise ConfigError(f"{key} is no option of segue's{_meant(key)}", code="bad-config")


def _meant(key: str) -> str:
    near = get_close_matches(key, _KNOWN, 1) or get_close_matches(_OURS + key, _KNOWN, 1, 0.8)
    return f": did you mean {near[0]}?" if near else ""
