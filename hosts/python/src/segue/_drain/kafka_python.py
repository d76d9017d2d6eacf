# SPDX-License-Identifier: Apache-2.0
"""kafka-python's way to the brokers, and a consumer of it as a drain sees it."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

from kafka import KafkaAdminClient, TopicPartition
from kafka import errors as kafka_errors
from kafka.structs import MemberState, OffsetAndMetadata

from segue._clients.beats import Beats
from segue._drain.channel import PARKED_OFFSET, ChannelError, Entry, NotAllowed, Place, UnknownPlace
from segue._drain.membership import Membership
from segue._drain.presence import Copies
from segue._drain.stateful import StatefulView
from segue._kafka_python.net_client import tidy
from segue._state.keeper import Keeper

_REQUEST_MS = 5_000
# How long one call of the client's own poll may last, so that an empty consumer can be closed between two of them.
_SLICE_MS = 200
# An application that does not poll any more for so long is not waited for.
_POLLED_WITHIN_S = 5.0

_NOT_ALLOWED = (
    kafka_errors.GroupAuthorizationFailedError,
    kafka_errors.TopicAuthorizationFailedError,
    kafka_errors.ClusterAuthorizationFailedError,
)


class KafkaPythonChannel:
    """An admin client with the consumer's settings. It is made at the first use, and anew after a fault."""

    def __init__(self, consumer_config: Mapping[str, Any]) -> None:
        self._config = admin_config(consumer_config)
        self._lock = threading.Lock()
        self._admin: Any = None
        self._closed = False

    def read(self, groups: Iterable[str]) -> Mapping[str, list[Entry]]:
        with self._faults() as admin:
            found = admin.list_group_offsets(dict.fromkeys(groups))
        return {group: list(_entries(offsets)) for group, offsets in found.items()}

    def write(self, group: str, place: Place, text: str) -> None:
        partition = TopicPartition(*place)
        with self._faults() as admin:
            done = admin.alter_group_offsets(group, {partition: OffsetAndMetadata(PARKED_OFFSET, text, None)})
            if done[partition] is not kafka_errors.NoError:
                raise done[partition](f"writing the group {group}")

    def delete(self, group: str) -> None:
        with self._faults() as admin:
            said = admin.delete_groups([group])[group]
            if said not in ("OK", "GroupIdNotFoundError"):
                raise getattr(kafka_errors, said, kafka_errors.KafkaError)(f"deleting the group {group}: {said}")

    def groups(self) -> list[str]:
        with self._faults() as admin:
            return [row["group_id"] for row in admin.list_groups()]

    def close(self) -> None:
        self._closed = True
        self._drop(self._admin)

    @contextlib.contextmanager
    def _faults(self) -> Iterator[Any]:
        """The one place where the client's exceptions become ours."""
        admin = None
        try:
            admin = self._client()
            yield admin
        except _NOT_ALLOWED as fault:
            raise NotAllowed(str(fault)) from fault
        except kafka_errors.UnknownTopicOrPartitionError as fault:
            raise UnknownPlace(str(fault)) from fault
        except Exception as fault:
            # What it knows of coordinators may be old, and it never asks again.
            self._drop(admin)
            raise ChannelError(f"{type(fault).__name__}: {fault}") from fault

    def _client(self) -> Any:
        with self._lock:
            if self._closed:
                raise ChannelError("closed")
            if self._admin is None:
                self._admin = Admin(**self._config)
            return self._admin

    def _drop(self, admin: Any) -> None:
        with self._lock:
            if admin is None or admin is not self._admin:
                return
            self._admin = None
        with contextlib.suppress(Exception):
            admin.close()


class Admin(KafkaAdminClient):  # type: ignore[misc]  # kafka-python has no types
    """One that leaves no thread and no socket behind where no broker answers: it is made again and again then."""

    def __init__(self, **config: Any) -> None:
        try:
            super().__init__(**tidy(config))
        except BaseException:
            self._closed = False
            with contextlib.suppress(Exception):
                self.close()
            raise


def admin_config(consumer_config: Mapping[str, Any]) -> dict[str, Any]:
    """Brokers, security and everything else that an admin client has as well, but for metrics."""
    known = {key for key in KafkaAdminClient.DEFAULT_CONFIG if not key.startswith("metric")}
    config = {key: value for key, value in consumer_config.items() if key in known and value is not None}
    config["client_id"] = f"{config['client_id']}-segue"
    config["request_timeout_ms"] = min(config["request_timeout_ms"], _REQUEST_MS)
    config["bootstrap_timeout_ms"] = _REQUEST_MS
    return config


def _entries(offsets: Mapping[Any, Any]) -> Iterator[Entry]:
    for place, found in offsets.items():
        if found.offset >= 0 and found.metadata:
            yield Entry((place.topic, place.partition), found.metadata)


def cure_lost_join(coordinator: Any) -> None:
    """kafka-python 3.0.12 forgets a join that metadata started when poll() times out on it."""
    if coordinator.rejoining and not coordinator.rejoin_needed:
        coordinator.request_rejoin()


class Seat:
    """What a plain and a stateful consumer have in common. client: the consumer of kafka-python."""

    application_server: str | None = None

    def __init__(self, client: Any, member: Membership) -> None:
        config = client.config
        self.client_id: str = config["client_id"]
        self.application: str = config["group_id"]
        self.heartbeat_s: float = config["heartbeat_interval_ms"] / 1000
        self.channel_key: object = ("kafka-python", str(config["bootstrap_servers"]), self.application)
        self._client = client
        self._member = member
        self._leaving = False
        self._left = threading.Event()

    def make_channel(self) -> KafkaPythonChannel:
        return KafkaPythonChannel(self._client.config)

    def joined(self) -> bool:
        return not self.closed() and (self._member.rounds.ended > 0 or self.running())

    def running(self) -> bool:
        coordinator = self._client._coordinator
        stable = coordinator.state is MemberState.STABLE
        return stable and not coordinator.rejoin_needed and not coordinator.rejoining

    def closed(self) -> bool:
        return bool(self._client._closed)

    def rejoin(self) -> None:
        self._client._coordinator.request_rejoin()

    def _begin_to_leave(self) -> None:
        """A static member leaves as well at its close: it has nothing to come back for."""
        self._client._coordinator.config["group_instance_id"] = None
        self._leaving = True


class PlainSeat(Seat):
    """A plain KafkaConsumer. Its `poll` and `close` are replaced on the object, because a consumer belongs to the
    thread that polls it: there it is closed when it is empty.
    """

    def __init__(self, client: Any, member: Membership, held: Callable[[], Collection[Any]]) -> None:
        super().__init__(client, member)
        self._held = held
        self._poll, self._close = client.poll, client.close
        self._polling = threading.Lock()

    def take_over(self, after_close: Callable[[], None]) -> None:
        """From now on it is polled here. after_close: what is done after the consumer's own close, by whomever."""

        def close(*arguments: Any, **options: Any) -> None:
            self._close(*arguments, **options)
            after_close()

        self._client.poll, self._client.close = self.poll, close

    def topics(self) -> Iterable[str]:
        return self._client.subscription() or ()

    def active(self) -> int:
        return len(self._held())

    def copies(self) -> Copies:
        return Copies()

    def leave(self, timeout_s: float) -> bool:
        self._begin_to_leave()
        if self._left.wait(min(timeout_s, _POLLED_WITHIN_S)):
            return True
        if not self._polling.acquire(timeout=timeout_s):
            return False
        try:
            # Whoever does not poll may be in the midst of records: they are not done, and come again.
            self._close_here(autocommit=False)
        finally:
            self._polling.release()
        return True

    def poll(self, timeout_ms: float = 0, max_records: int | None = None, update_offsets: bool = True) -> Any:
        """As the client's own, in slices."""
        until = time.monotonic() + timeout_ms / 1000
        while True:
            rest_ms = timeout_ms if timeout_ms <= _SLICE_MS else max(0.0, (until - time.monotonic()) * 1000)
            with self._polling:
                if self._leaving and not self.closed():
                    self._close_here()
                    return {}
                records = self._poll(min(rest_ms, _SLICE_MS), max_records, update_offsets)
                cure_lost_join(self._client._coordinator)
            if records or rest_ms <= _SLICE_MS:
                return records

    def _close_here(self, **options: Any) -> None:
        self._close(**options)
        # A `for record in consumer` that waits for records ends now.
        self._client._consumer_timeout = 0.0
        self._left.set()


class StatefulSeat(StatefulView, Seat):
    """A stateful consumer, which closes itself where it is polled once it is told to leave. beats, ring: see
    `Asking`.
    """

    def __init__(
        self, client: Any, keeper: Keeper, beats: Beats, ring: Callable[[Callable[[bool], None]], None]
    ) -> None:
        StatefulView.__init__(self, keeper)
        Seat.__init__(self, client, keeper.assignor.member)
        self._asking = self.asking(beats, self.running, super().rejoin, ring)

    def rejoin(self) -> None:
        self._asking.ask()

    def rejoin_calmly(self) -> None:
        self._asking.ask_calmly()

    @property
    def is_to_leave(self) -> bool:
        """Whether it is empty, and has to be closed now."""
        return self._leaving and not self.closed()

    def left(self) -> None:
        """It is closed, by whomever."""
        self._left.set()

    def leave(self, timeout_s: float) -> bool:
        self._begin_to_leave()
        return self._left.wait(timeout_s)
