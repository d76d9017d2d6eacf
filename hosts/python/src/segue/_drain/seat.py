# SPDX-License-Identifier: Apache-2.0
"""What looking after a consumer needs of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from segue._drain.channel import Channel
from segue._drain.presence import Copies


class Seat(Protocol):
    """A consumer in its group. Safe from any thread; nothing but `leave` blocks."""

    client_id: str
    application: str
    heartbeat_s: float
    application_server: str | None

    @property
    def channel_key(self) -> object:
        """The same for consumers that may share a channel."""

    def make_channel(self) -> Channel:
        """A way to the brokers with the consumer's settings."""

    def topics(self) -> Iterable[str]:
        """The topics that it reads, as far as it has subscribed."""

    def active(self) -> int:
        """Tasks that it owns."""

    def copies(self) -> Copies:
        """Copies of state that it keeps beside owners elsewhere."""

    def joined(self) -> bool:
        """It has got an assignment since it joined, and is not closed."""

    def running(self) -> bool:
        """At work, and in no rebalance."""

    def closed(self) -> bool:
        """Closing or closed, by whomever."""

    def rejoin(self) -> None:
        """Asks for a rebalance at the next occasion."""

    def leave(self, timeout_s: float) -> bool:
        """Closes the consumer and leaves the group, a static member as well; False if that took longer."""
