# SPDX-License-Identifier: Apache-2.0
"""Who a member is and what it is at, as it publishes it."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass
from typing import Any

from segue._drain import documents
from segue._drain.led import Led
from segue._drain.mark import Mark
from segue._drain.state import Phase
from segue._drain.swap import Choice

KIND = "presence"


@dataclass(frozen=True, slots=True)
class Copies:
    """Standbys and learners beside owners elsewhere. lag: records to replay in all, None where not known yet."""

    count: int = 0
    ready: int = 0
    lag: int | None = 0


@dataclass(frozen=True, slots=True)
class Now:
    """What changes while a member lives. heeds_marks: whether its assignor does. mark: the one it goes by."""

    phase: Phase
    active: int
    copies: Copies
    mark: Mark | None
    choice: Choice
    heeds_marks: bool
    led: Led | None

    def is_news(self, before: Now) -> bool:
        """The lag of a copy that has caught up is never still and tells nobody anything."""
        catching_up = self.copies.ready < self.copies.count and self.copies.lag != before.copies.lag
        return catching_up or self._without_lag() != before._without_lag()

    def _without_lag(self) -> tuple[Any, ...]:
        return (
            self.phase, self.active, self.copies.count, self.copies.ready,
            self.mark, self.choice, self.heeds_marks, self.led,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Presence:
    """What does not change. assignors: the strategies that it can ask. application_server: where it is configured.
    http: where HTTP is served, as `http://HOST:PORT`, if it is.
    """

    instance: str
    client_id: str
    assignors: tuple[str, ...]
    started_ms: int
    host: str
    pid: int
    application_server: str | None = None
    http: str | None = None

    @classmethod
    def here(
        cls, instance: str, client_id: str, assignors: tuple[str, ...], application_server: str | None
    ) -> Presence:
        return cls(instance, client_id, assignors, documents.now_ms(), host_name(), os.getpid(), application_server)

    def text(self, now: Now, at_ms: int) -> str:
        choice, copies = now.choice, now.copies
        document = documents.start(
            KIND,
            instance=self.instance,
            client_id=self.client_id,
            host=self.host,
            pid=self.pid,
            application_server=self.application_server,
            http=self.http,
            assignor=choice.assignor,
            leaving_known=now.heeds_marks,
            configured=choice.configured if choice.configured != choice.assignor else None,
            swap_refused=choice.refused,
            assignors=self.assignors,
            started_ms=self.started_ms,
            at_ms=at_ms,
            state=now.phase.value,
            active=now.active,
            copies=copies.count,
            copies_ready=copies.ready,
            copies_lag=-1 if copies.lag is None else copies.lag,
            drain=None if now.mark is None else _drain(now.mark, now.active),
            led=None if now.led is None else now.led.fields(),
        )
        return documents.write(document, "application_server", "http", "client_id", "host", "led", "assignors")


def host_name() -> str:
    """The environment's HOSTNAME, as a pod has it, else the machine's name."""
    return os.environ.get("HOSTNAME", "").strip() or socket.gethostname()


def address(bound: str, port: int) -> str:
    """Where HTTP is found; one that listens everywhere, under the name of its machine."""
    at = host_name() if bound in ("0.0.0.0", "::", "") else bound
    return f"http://[{at}]:{port}" if ":" in at else f"http://{at}:{port}"


def _drain(mark: Mark, tasks_left: int) -> dict[str, Any]:
    deadline = {} if mark.deadline_ms is None else {"deadline_ms": mark.deadline_ms}
    return {"since_ms": mark.since_ms, **deadline, "tasks_left": tasks_left, "stay": mark.stay}
