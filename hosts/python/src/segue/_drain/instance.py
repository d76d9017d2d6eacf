# SPDX-License-Identifier: Apache-2.0
"""The handle that an application has of one consumer: drains, swaps, what it is at, where HTTP is served."""

from __future__ import annotations

import atexit
import logging
from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Protocol

from segue._drain import metrics
from segue._drain.attendant import Attendant
from segue._drain.bulletin import Bulletin
from segue._drain.channel import CHANNELS
from segue._drain.clean_up import do_each
from segue._drain.led import Led
from segue._drain.membership import Membership
from segue._drain.offer import Offer
from segue._drain.pending import Pending
from segue._drain.presence import address
from segue._drain.seat import Seat
from segue._drain.settings import Settings
from segue._drain.side_groups import SideGroups
from segue._drain.state import DrainResult, DrainState
from segue._errors import InputError
from segue._plan import Metrics

if TYPE_CHECKING:
    from segue._drain.http_server import HttpServer

log = logging.getLogger("segue")

_ATTRIBUTE = "_segue_instance"
# As long as the brokers are there, cleaning up takes some milliseconds.
_LONGEST_END_S = 3.0

Timeout = float | timedelta | None


class Instance:
    """One consumer as segue sees it. Any thread; nothing blocks: answers are futures that can be awaited as well.

    A drain marks the member as leaving: the others take over what it has while it goes on, and when nothing is left it
    leaves the group and closes. A mark outlives the process where the member's state does.
    """

    def __init__(
        self,
        seat: Seat,
        member: Membership,
        planner: Planner,
    ) -> None:
        self._seat = seat
        self._member = member
        self._planner = planner
        self._settings = settings = planner.settings
        self._channel_key = seat.channel_key
        groups = SideGroups(CHANNELS.take(self._channel_key, seat.make_channel), seat.application)
        member.attach(Bulletin(groups), seat.rejoin, settings.marks_timeout_ms, settings.scale_down_timeout_ms)
        self._attendant = Attendant(seat, member, groups, planner.offer, settings, self._ended)
        self._server = self._serve()
        atexit.register(self._before_exit)
        self._attendant.start(address(settings.http_host, self._server.port) if self._server else None)

    @property
    def id(self) -> str:
        """By which marks know it: a UUID."""
        return self._member.instance

    def drain(self, timeout: Timeout = None, *, stay: bool = False) -> Pending[DrainResult]:
        """Marks this member as leaving; when it is empty it leaves the group and closes. Of one that is marked already
        the deadline changes.

        timeout: seconds after which what is left is forced away; None: as scale.down.timeout.ms says, else never.
        stay: the empty member stays in the group and holds nothing until it is closed.
        The future has the result when the drain has ended, and fails with DrainError where the mark cannot be written;
        cancelling it stops the waiting, not the drain. The consumer has to be polled meanwhile.
        Raises DrainError where the assignor heeds no marks.
        """
        return self._attendant.drain(_ms(timeout), stay)[1]

    def mark(self, timeout: Timeout = None, *, stay: bool = False) -> Pending[DrainState]:
        """The same for who does not want to wait: the future is there when the mark stands."""
        return self._attendant.drain(_ms(timeout), stay)[0]

    def drain_and_close(self, timeout: Timeout = None) -> None:
        """The same for a process that is to end: after the timeout the consumer is closed in any case, and at once
        where it cannot be drained, or where all members of the group are leaving, so that nobody could take over. The
        mark ends with the process. May be called from a signal's handler.
        """
        self._attendant.drain_and_close(_ms(timeout))

    def cancel_drain(self) -> Pending[bool]:
        """Takes the mark back; whether there was one. What has moved comes back only where the balance wants it to."""
        return self._attendant.cancel()

    def swap(self, assignor: str) -> Pending[None]:
        """Wishes that the whole application be assigned by another assignor from now on; there when the wish stands.

        The next rebalance uses it, and who led the last asks for that at once. Raises AssignorError for an unknown
        name.
        """
        return self._attendant.swap(assignor)

    def swap_back(self) -> Pending[None]:
        """Takes the wish back, so that each member goes by its configuration again."""
        return self._attendant.swap(None)

    @property
    def drain_state(self) -> DrainState:
        """What it is at."""
        return self._attendant.state

    @property
    def assignor(self) -> str:
        """The assignor that it would ask if it led now."""
        return self._attendant.choice.assignor

    @property
    def drain_obstacle(self) -> str | None:
        """Why a drain would be refused now: the assignor heeds no marks. None where it would not be."""
        return self._attendant.obstacle()

    @property
    def led(self) -> Led | None:
        """The last rebalance in which it took part, if it led that."""
        return self._member.led

    @property
    def ready(self) -> bool:
        """Whether it has joined its group, and is not closed."""
        return self._seat.joined()

    @property
    def closed(self) -> bool:
        """Whether the consumer is closed, by the application or by a drain."""
        return self._seat.closed()

    @property
    def http_port(self) -> int | None:
        """Where HTTP is served, if it is."""
        return self._server.port if self._server else None

    @property
    def http_token(self) -> str | None:
        """What a change has to present over HTTP."""
        return self._settings.http_token

    def last_rebalance(self) -> bytes | None:
        """The last rebalance, if it led that: what was asked and answered as frames of a record, one for each group of
        members that read the same topics. None as well where it led without a plan.
        """
        return b"".join(self._member.recorded) or None

    def metrics(self) -> str:
        """Its figures in Prometheus' text format."""
        return metrics.text(
            self._seat.application, self._seat.client_id, self.drain_state, self._seat.copies(),
            self._attendant.choice, self.led, self._planner.kept, self._planner.metrics(),
        )  # fmt: skip

    def after_close(self) -> None:
        """Cleans up after the consumer was closed; called by its `close`. Waits for a moment at the most."""
        self._attendant.join(_LONGEST_END_S)

    def _serve(self) -> HttpServer | None:
        settings = self._settings
        if settings.http_port is None:
            return None
        from segue._drain.http_server import HttpServer  # the server of the standard library takes a while to load

        try:
            return HttpServer(self, settings.http_host, settings.http_port)
        except OSError as fault:
            log.error(
                "cannot serve HTTP at %s:%d (segue.http.host and segue.http.port): %s",
                settings.http_host, settings.http_port, fault,
            )  # fmt: skip
            return None

    def _before_exit(self) -> None:
        """Daemon threads work on until here: the process must not end in the clean-up."""
        if self.closed:
            self.after_close()

    def _ended(self) -> None:
        serving = [("stop serving HTTP", self._server.close)] if self._server else []
        do_each(
            ("forget the end of the process", lambda: atexit.unregister(self._before_exit)),
            *serving,
            ("close its connection", lambda: CHANNELS.give_back(self._channel_key)),
        )


class Plain(Seat, Protocol):
    """A seat of a consumer that does not know of it."""

    def take_over(self, after_close: Callable[[], None]) -> None: ...


class Planner(Protocol):
    """Who is asked for plans, and with which settings. kept: how often in this process there was none."""

    @property
    def offer(self) -> Offer: ...

    @property
    def settings(self) -> Settings: ...

    @property
    def kept(self) -> int: ...

    def metrics(self) -> Metrics: ...


class Assigning(Protocol):
    """What of an assignor a consumer's instance needs."""

    @property
    def member(self) -> Membership: ...

    @property
    def planner(self) -> Planner: ...


def attach(consumer: Any, group: str | None, seat: Plain, assignor: Assigning) -> Instance:
    """Looks after a plain consumer from now on. Raises InputError."""
    if hasattr(consumer, _ATTRIBUTE):
        raise InputError("this consumer is attached already", code="bad-argument")
    if assignor.member.attached:
        raise InputError("this SegueAssignor is another consumer's: make one for each", code="bad-argument")
    if group is None:
        raise InputError("this consumer has no group_id: there is no group to leave", code="bad-argument")
    instance = attend_to(consumer, seat, assignor)
    seat.take_over(instance.after_close)
    return instance


def attend_to(consumer: Any, seat: Seat, assignor: Assigning) -> Instance:
    """Looks after a consumer from now on; it has to call `after_close` when it is closed."""
    instance = Instance(seat, assignor.member, assignor.planner)
    setattr(consumer, _ATTRIBUTE, instance)
    return instance


def instance_of(consumer: Any) -> Instance:
    """The instance of a consumer that was attached; an instance is its own. Raises InputError."""
    found = consumer if isinstance(consumer, Instance) else getattr(consumer, _ATTRIBUTE, None)
    if not isinstance(found, Instance):
        raise InputError(
            f"{type(consumer).__name__}: this consumer has no instance: segue.kafka_python.attach or"
            " segue.aiokafka.attach gives it one",
            code="bad-argument",
        )
    return found


def _ms(timeout: Timeout) -> int | None:
    if timeout is None:
        return None
    seconds = timeout.total_seconds() if isinstance(timeout, timedelta) else float(timeout)
    if not seconds >= 0:
        raise InputError(f"timeout: seconds from 0 on are wanted, not {timeout!r}", code="bad-argument")
    return int(min(seconds * 1000, 2.0**53))
