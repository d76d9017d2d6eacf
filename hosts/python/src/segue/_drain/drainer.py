# SPDX-License-Identifier: Apache-2.0
"""Carries one member through its drain: heeds its mark, makes the leader look, and says when nothing is left."""

from __future__ import annotations

import contextlib
import logging
import time
from concurrent.futures import InvalidStateError

from segue._drain import documents
from segue._drain.drain_policy import DrainPolicy, Seen, Step
from segue._drain.mark import Mark
from segue._drain.membership import Membership
from segue._drain.pending import Pending
from segue._drain.seat import Seat
from segue._drain.side_entry import SideEntry
from segue._drain.state import DrainResult, DrainState, Phase

log = logging.getLogger("segue")

_GRACE_MS = 30_000


class Drainer:
    """For the attendant's thread, but for `state`."""

    def __init__(
        self, seat: Seat, member: Membership, mark: SideEntry[Mark], started_ms: int, scale_down_timeout_ms: int | None
    ) -> None:
        self.state = DrainState()
        self.heeded: Mark | None = None
        self._seat = seat
        self._member = member
        self._mark = mark
        self._started_ms = started_ms
        self._timeout_ms = scale_down_timeout_ms
        self._policy = DrainPolicy(seat.heartbeat_s)
        self._waiting: list[Pending[DrainResult]] = []
        self._looked = False
        self._late = False

    def mark(self, drain: Pending[DrainResult] | None, timeout_ms: int | None, stay: bool) -> None:
        """Marks this member, or changes the deadline of its mark, as it has just been read. Raises ChannelError."""
        now_ms, before = documents.now_ms(), self._mark.known
        if before is None:
            mark = Mark.now(self._member.instance, now_ms, timeout_ms, stay, "the instance")
        else:
            mark = before.again(now_ms, timeout_ms, stay)
        mark = mark.within(self._timeout_ms)
        self._mark.write(mark)
        log.info("marked as leaving, deadline %s", _time(mark.deadline_ms))
        if drain is not None:
            self._waiting.append(drain)

    def forget_old_mark(self, heeds: bool) -> None:
        """A drain whose time was over before this member began is over; it must not empty what was started since."""
        found = None if self._looked else self._effective()
        self._looked = True
        if found is None:
            return
        if found.since_ms < self._started_ms and found.is_overdue(self._started_ms):
            log.info("the mark of an earlier drain, whose deadline is over, is removed")
            self._mark.clear()
        elif heeds:
            log.warning(
                "this member is marked as leaving since %s by %s; it will be emptied unless that is cancelled",
                _time(found.since_ms), found.by,
            )  # fmt: skip

    def next(self, heeds: bool) -> Step:
        """Goes on with what is known now. heeds: whether the assignor heeds marks; if it does not nothing would ever be
        taken away.
        """
        wall_ms, now = documents.now_ms(), time.monotonic()
        seen = Seen(
            self._effective() if heeds else None, self._seat.active(), self._seat.running(), self._member.rounds
        )
        self.heeded = seen.mark
        overdue = seen.mark is not None and seen.mark.is_overdue(wall_ms)
        self._late = seen.mark is not None and (self._late or (overdue and seen.active > 0))
        step = self._policy.next(seen, wall_ms, now)
        if step is Step.ASK:
            self._ask(seen, overdue)
        empty = seen.mark is not None and self._policy.is_empty(seen, now)
        self.state = DrainState.of(_phase(seen.mark, empty), seen.mark, seen.active)
        self._tell(seen, empty, wall_ms)
        return step

    def is_over(self) -> bool:
        """Whether the drain is at its end, empty or not: then a member that closes takes its mark with it."""
        return self.state.phase is Phase.EMPTY or (
            self.heeded is not None and self.heeded.is_overdue(documents.now_ms())
        )

    def result(self) -> DrainResult:
        """How a drain has ended that left nothing behind."""
        return DrainResult.TIMED_OUT if self._late else DrainResult.EMPTIED

    def stopping(self) -> None:
        self.state = DrainState(Phase.STOPPING, self.state.since_ms, self.state.deadline_ms, self.state.tasks_left)

    def complete(self, result: DrainResult) -> None:
        waiting, self._waiting = self._waiting, []
        for drain in waiting:
            with contextlib.suppress(InvalidStateError):  # whoever waited has given up
                drain.set_result(result)

    def _effective(self) -> Mark | None:
        return self._mark.known and self._mark.known.within(self._timeout_ms)

    def _ask(self, seen: Seen, overdue: bool) -> None:
        if seen.mark is None:
            self._member.ask(None, "no longer leaving")
        elif overdue:
            self._member.ask(seen.mark.leaving(), "the deadline for leaving has passed")
        else:
            self._member.ask(seen.mark.leaving(), f"leaving, {seen.active} tasks left")

    def _tell(self, seen: Seen, empty: bool, wall_ms: int) -> None:
        if seen.mark is None:
            self.complete(DrainResult.CANCELLED)
        elif empty and seen.mark.stay:
            self.complete(self.result())
        elif self._late and seen.active > 0 and seen.mark.is_overdue(wall_ms - _GRACE_MS):
            if self._waiting:
                log.warning("%d tasks are still here %d s after the deadline: nobody takes them",
                            seen.active, _GRACE_MS // 1000)  # fmt: skip
            self.complete(DrainResult.TIMED_OUT)


def _phase(mark: Mark | None, empty: bool) -> Phase:
    if mark is None:
        return Phase.RUNNING
    return Phase.EMPTY if empty and mark.stay else Phase.DRAINING


def _time(at_ms: int | None) -> str:
    if at_ms is None:
        return "none"
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(min(at_ms // 1000, 253402300799)))
