# SPDX-License-Identifier: Apache-2.0
"""Looks after one consumer: reads what is said to it, publishes what it is at, has it drained or swapped, and cleans up
when it has ended.
"""

from __future__ import annotations

import contextlib
import logging
import math
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import InvalidStateError
from typing import TypeVar

from segue._drain import documents
from segue._drain.channel import ChannelError
from segue._drain.clean_up import do_each
from segue._drain.complaints import reason
from segue._drain.drain_policy import Step
from segue._drain.drainer import Drainer
from segue._drain.inbox import Inbox
from segue._drain.membership import Membership
from segue._drain.offer import Offer
from segue._drain.own_presence import OwnPresence
from segue._drain.pending import Pending
from segue._drain.presence import Now, Presence
from segue._drain.seat import Seat
from segue._drain.settings import Settings
from segue._drain.side_groups import SideGroups
from segue._drain.state import DrainResult, DrainState
from segue._drain.swap import Choice, Swap
from segue._drain.swapper import Swapper
from segue._errors import DrainError

log = logging.getLogger("segue")

Result = TypeVar("Result")

_LEAVING_S = 30.0


class Attendant:
    """One daemon thread, which does all of that at an interval. Every method may be called from any thread and none
    blocks; all but `start` and `join` from a signal's handler too.
    """

    def __init__(
        self,
        seat: Seat,
        member: Membership,
        groups: SideGroups,
        offer: Offer,
        settings: Settings,
        on_end: Callable[[], None],
    ) -> None:
        who = Presence.here(member.instance, seat.client_id, offer.names, seat.application_server)
        self._seat = seat
        self._member = member
        self._prefix = groups.prefix
        self._offer = offer
        self._poll_s = settings.marks_poll_ms / 1000
        self._on_end = on_end
        self._inbox = Inbox(groups, member.instance, seat.topics)
        self._presence = OwnPresence(groups, who, seat.topics)
        self._drainer = Drainer(seat, member, self._inbox.mark, who.started_ms, settings.scale_down_timeout_ms)
        self._swapper = Swapper(self._inbox.swap, offer.configured, offer.names, member, seat.heartbeat_s)
        # Of the queues this is the one that a signal's handler may use.
        self._work: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._ended = False
        self._stop_at: float | None = None
        self._thread = threading.Thread(target=self._run, name=f"segue-{seat.client_id}", daemon=True)

    def start(self, http: str | None = None) -> None:
        """http: where the member serves that, if it does."""
        if http is not None:
            self._presence.served_at(http)
        self._thread.start()

    def join(self, timeout_s: float) -> None:
        """Waits until it has cleaned up after a consumer that is closed."""
        self.wake()
        if self._thread is not threading.current_thread():
            self._thread.join(timeout_s)

    def wake(self) -> None:
        """The consumer is closing: do at once what there is to do."""
        self._work.put(lambda: None)

    @property
    def state(self) -> DrainState:
        return self._drainer.state

    @property
    def choice(self) -> Choice:
        return self._swapper.choice

    def heeds_marks(self) -> bool:
        return self._offer.heeds_marks(self.choice.assignor)

    def obstacle(self) -> str | None:
        return self._offer.obstacle(self.choice.assignor)

    def drain(self, timeout_ms: int | None, stay: bool) -> tuple[Pending[DrainState], Pending[DrainResult]]:
        """Marks this member, or changes the deadline of its mark. The first is there when the mark stands, the second
        when the drain has ended; both fail with DrainError.
        """
        self._require_marks()
        ended: Pending[DrainResult] = Pending()

        def mark() -> DrainState:
            self._look()
            self._drainer.mark(ended, timeout_ms, stay)
            self._go_on(looked=False)
            return self.state

        marked = self._submit(mark)
        marked.add_done_callback(lambda _: _fail_with(ended, marked))
        return marked, ended

    def drain_and_close(self, timeout_ms: int | None) -> None:
        """Marks this member; it is closed after the timeout in any case, and at once where it cannot be drained and
        where all members are leaving.
        """

        def mark() -> None:
            wait_s = math.inf if timeout_ms is None else timeout_ms / 1000 + self._poll_s
            self._stop_at = time.monotonic() + wait_s
            try:
                self._require_marks()
                self._look()
                self._drainer.mark(None, timeout_ms, stay=False)
                self._go_on(looked=False)
            except (ChannelError, DrainError) as fault:
                log.warning("closing at once, without a drain: %s", fault)
                self._stop_at = time.monotonic()

        self._submit(mark)

    def cancel(self) -> Pending[bool]:
        """Takes the mark back; whether there was one."""
        self._require_marks()

        def unmark() -> bool:
            self._look()
            was = self._inbox.mark.known is not None
            self._inbox.mark.clear()
            self._go_on(looked=False)
            return was

        return self._submit(unmark)

    def swap(self, name: str | None) -> Pending[None]:
        """Wishes for an assignor; None takes the wish back. Raises AssignorError where there is none of that name."""
        if name is not None:
            self._offer.require(name)

        def wish() -> None:
            self._look()
            if name is None:
                self._inbox.swap.clear()
            else:
                self._inbox.swap.write(Swap.after(self._inbox.swap.known, name, "an instance"))
            self._go_on(looked=False)

        return self._submit(wish)

    # ---- on the thread ----

    def _run(self) -> None:
        next_at = time.monotonic()
        while not self._ended:
            with contextlib.suppress(queue.Empty):
                self._work.get(timeout=max(0.0, next_at - time.monotonic()))()
                if not self._seat.closed():
                    continue
            self._tick()
            next_at = time.monotonic() + self._poll_s
        self._refuse_the_rest()

    def _tick(self) -> None:
        """A fault here must end neither the thread nor the application."""
        try:
            if self._seat.closed():
                self._end(DrainResult.INTERRUPTED, over=self._drainer.is_over())
                return
            if result := self._result_of_stopping():
                self._leave(result)
                return
            looked = self._inbox.look()
            if looked:
                self._drainer.forget_old_mark(self.heeds_marks())
            self._go_on(looked)
        except Exception:
            log.warning("looking after this member failed, and is tried again", exc_info=True)

    def _go_on(self, looked: bool) -> None:
        now = time.monotonic()
        if why := self._swapper.next(now, self._seat.running()):
            mark = self._drainer.heeded
            self._member.ask(mark.leaving() if mark else None, why)
        step = self._drainer.next(self.heeds_marks())
        self._publish()
        if step is Step.LEAVE:
            self._leave(self._drainer.result())
        elif looked:
            self._swapper.renew(now)

    def _publish(self) -> None:
        state = self.state
        now = Now(
            state.phase, state.tasks_left, self._seat.copies(), self._drainer.heeded, self.choice,
            self.heeds_marks(), self._member.led,
        )  # fmt: skip
        self._presence.publish(now, documents.now_ms())

    def _result_of_stopping(self) -> DrainResult | None:
        """Of a member whose process is to end: whether there is nothing more to wait for."""
        if self._stop_at is None:
            return None
        if time.monotonic() >= self._stop_at:
            log.info("not empty, but it is time to end")
            return DrainResult.TIMED_OUT
        if self._drainer.heeded and self._member.rounds.nobody_stays:
            log.info("not empty, but all members are leaving: nobody is there to take over")
            return DrainResult.INTERRUPTED
        return None

    def _leave(self, result: DrainResult) -> None:
        log.info("leaving the group and closing")
        self._drainer.stopping()
        self._publish()
        try:
            if not self._seat.leave(_LEAVING_S):
                log.warning("not closed within %d s; the closing goes on", _LEAVING_S)
        except Exception:
            log.warning("closed, but the group may have to wait for the session", exc_info=True)
        self._end(result, over=self._drainer.heeded is not None)

    def _end(self, result: DrainResult, over: bool) -> None:
        """A mark goes only with a drain that is over: what was closed half way goes on with it after a restart. It goes
        after the member has left: the other way round a rebalance between would give it work again.
        """
        self._drainer.stopping()
        mark = [("remove the mark of this member", self._inbox.mark.clear)] if over else []
        do_each(*mark, ("remove its presence", self._presence.delete))
        self._ended = True
        do_each(("give back what it had", self._on_end))
        self._drainer.complete(result)

    def _look(self) -> None:
        """Before a change. What stands there must be known, or it would be overwritten blindly."""
        if not self._inbox.look():
            raise DrainError("Kafka did not answer: what stands in this member's groups is not known", code="kafka")

    def _require_marks(self) -> None:
        if why := self.obstacle():
            raise DrainError(f"cannot be drained: {why}", code="no-marks")

    def _submit(self, work: Callable[[], Result]) -> Pending[Result]:
        result: Pending[Result] = Pending()

        def run() -> None:
            try:
                outcome = work()
            except ChannelError as fault:
                _fail(result, DrainError(f"Kafka did not take it: {reason(fault, self._prefix)}", code="kafka"))
            except Exception as fault:
                _fail(result, fault)
            else:
                with contextlib.suppress(InvalidStateError):
                    result.set_result(outcome)

        self._work.put(lambda: _fail(result, _closed()) if self._ended else run())
        if self._ended:
            self._refuse_the_rest()
        return result

    def _refuse_the_rest(self) -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                self._work.get_nowait()()


def _closed() -> DrainError:
    return DrainError("this consumer is closed", code="closed")


def _fail(result: Pending[Result], fault: BaseException) -> None:
    with contextlib.suppress(InvalidStateError):
        result.set_exception(fault)


def _fail_with(result: Pending[Result], other: Pending[DrainState]) -> None:
    if fault := other.exception():
        _fail(result, fault)
