# SPDX-License-Identifier: Apache-2.0
"""A worker of Faust as a drain sees it."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
from collections.abc import Callable, Iterable
from typing import Any

import mode

from segue._drain.aiokafka import AiokafkaChannel
from segue._drain.membership import Membership
from segue._drain.presence import Copies
from segue._faust.copies import Picture
from segue._faust.wire import Said

_SELDOM_S = 5.0


class FaustSeat:
    """Everything that touches the application is done on its own loop, or the consumer's thread."""

    def __init__(self, app: Any, member: Membership, heard: Callable[[], Said], picture: Callable[[], Picture]) -> None:
        self.client_id: str = app.conf.broker_client_id
        self.application: str = app.conf.id
        self.application_server: str | None = f"{app.conf.canonical_url.host}:{app.conf.canonical_url.port}"
        self.subscribed: Iterable[str] = ()
        # How often a drain asks again. Every rebalance stops all workers, and learning takes its time.
        self.heartbeat_s: float = max(app.conf.broker_heartbeat_interval, _SELDOM_S)
        self._app = app
        self._member = member
        self._heard = heard
        self._picture = picture

    @property
    def channel_key(self) -> object:
        return ("faust", str(self._client()._bootstrap_servers), self.application)

    def make_channel(self) -> AiokafkaChannel:
        return AiokafkaChannel(self._client())

    def _client(self) -> Any:
        return self._app.consumer._thread._consumer._client

    def topics(self) -> Iterable[str]:
        return self.subscribed

    def active(self) -> int:
        """Tasks that others read as well. A leader without segue does not tell how many; then it is partitions."""
        owned = self._heard().owned
        return len(self._app.assignor.assigned_actives()) if owned is None else owned

    def copies(self) -> Copies:
        picture, changelogs = self._picture(), self._app.tables.changelog_topics
        beside = {place for place in self._app.assignor.assigned_standbys() if place[0] in changelogs}
        seen = [picture.copies.get(place) for place in beside]
        known = [copy.end - copy.position for copy in seen if copy and None not in copy]  # type: ignore[operator]
        lag = sum(known) if len(known) == len(beside) else None
        return Copies(len(beside), len(picture.ready & beside), lag)

    def joined(self) -> bool:
        return self._member.rounds.ended > 0 and not self.closed()

    def running(self) -> bool:
        return not self._app.rebalancing and not self.closed()

    def closed(self) -> bool:
        return bool(self._app.should_stop)

    def rejoin(self) -> None:
        """In the consumer's thread, which owns the coordinator. A loop that is closed has none any more."""
        with contextlib.suppress(RuntimeError, AttributeError):
            thread = self._app.consumer._thread
            thread.thread_loop.call_soon_threadsafe(thread._consumer._coordinator.request_rejoin)

    def leave(self, timeout_s: float) -> bool:
        done = asyncio.run_coroutine_threadsafe(stop(self._app), self._app.loop)
        try:
            done.result(timeout_s)
        except concurrent.futures.TimeoutError:
            return False
        return True


async def stop(app: Any) -> None:
    """The application, and the worker where there is one. A static member leaves as well."""
    app.consumer._thread._consumer._coordinator._group_instance_id = None
    await app.stop()
    end(app)


def end(app: Any) -> None:
    """The worker ends as at Faust's own SIGTERM."""
    worker = app.beacon.root.data if app.beacon.root is not None else None
    if isinstance(worker, mode.Worker):
        worker._on_sigterm()
