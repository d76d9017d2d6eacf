# SPDX-License-Identifier: Apache-2.0
"""Heartbeats of kafka-python at the moments of the group."""

from __future__ import annotations

import time
from typing import Any

from segue._clients.beats import Beats


def keep_beats(coordinator: Any, beats: Beats) -> None:
    """From now on it sends them then; one that has failed is repeated as ever."""
    heartbeat = coordinator.heartbeat
    usual = heartbeat.time_to_next_heartbeat

    def left_s() -> float:
        if heartbeat.heartbeat_failed:
            return float(usual())
        return beats.left_s(time.monotonic() - max(heartbeat.last_send, heartbeat.last_reset))

    heartbeat.time_to_next_heartbeat = left_s
