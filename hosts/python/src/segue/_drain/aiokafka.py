# SPDX-License-Identifier: Apache-2.0
"""aiokafka's way to the brokers, and a consumer of it as a drain sees it."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import threading
from collections.abc import Callable, Collection, Coroutine, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, NoReturn, TypeVar

from aiokafka import errors as kafka_errors
from aiokafka.client import AIOKafkaClient
from aiokafka.protocol.admin import DeleteGroupsRequest, ListGroupsRequest
from aiokafka.protocol.commit import OffsetCommitRequest, OffsetFetchRequest

from segue._clients.beats import Beats
from segue._drain.channel import PARKED_OFFSET, ChannelError, Entry, NotAllowed, Place, UnknownPlace
from segue._drain.membership import Membership
from segue._drain.presence import Copies
from segue._drain.stateful import StatefulView
from segue._state.keeper import Keeper

_REQUEST_MS = 5_000
_CALL_S = 6.0
_CLOSE_S = 2.0
_COORDINATORS_OF_GROUPS = 0

_NOT_ALLOWED = (
    kafka_errors.GroupAuthorizationFailedError,
    kafka_errors.TopicAuthorizationFailedError,
    kafka_errors.ClusterAuthorizationFailedError,
)
_NO_FAULT = (0, kafka_errors.GroupIdNotFound.errno)

Result = TypeVar("Result")


class AiokafkaChannel:
    """A client with the consumer's settings, on an event loop and a thread of its own: an assignor is called in the
    midst of the application's loop and cannot wait there for something that the same loop has to do.
    """

    def __init__(self, consumer_client: Any) -> None:
        self._settings = client_settings(consumer_client)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="segue-aiokafka", daemon=True)
        self._starting = asyncio.Lock()
        self._client: Any = None
        self._coordinators: dict[str, int] = {}
        self._thread.start()

    def read(self, groups: Iterable[str]) -> Mapping[str, list[Entry]]:
        return self._call(self._read(list(groups)))

    def write(self, group: str, place: Place, text: str) -> None:
        self._call(self._write(group, place, text))

    def delete(self, group: str) -> None:
        self._call(self._delete(group))

    def groups(self) -> list[str]:
        return self._call(self._groups())

    def close(self) -> None:
        if self._loop.is_closed():
            return
        with contextlib.suppress(Exception):
            asyncio.run_coroutine_threadsafe(self._drop(), self._loop).result(_CLOSE_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        if self._thread is not threading.current_thread():
            self._thread.join(_CLOSE_S)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()

    def _call(self, work: Coroutine[Any, Any, Result]) -> Result:
        """The one place where the client's exceptions become ours."""
        if self._loop.is_closed():
            work.close()
            raise ChannelError("closed")
        done = asyncio.run_coroutine_threadsafe(self._outcome(work), self._loop)
        try:
            return done.result(_CALL_S)()
        except concurrent.futures.TimeoutError:
            done.cancel()
            raise ChannelError("no answer in time") from None
        except _NOT_ALLOWED as fault:
            raise NotAllowed(str(fault)) from fault
        except kafka_errors.UnknownTopicOrPartitionError as fault:
            raise UnknownPlace(str(fault)) from fault
        except Exception as fault:
            raise ChannelError(f"{type(fault).__name__}: {fault}") from fault

    # ---- on the loop

    async def _outcome(self, work: Coroutine[Any, Any, Result]) -> Callable[[], Result]:
        """Gives or raises what it comes to. Who is waited for no more may fail as well, and nobody is there to take it
        from the task.
        """
        try:
            result = await self._guarded(work)
        except Exception as fault:
            return partial(_raise, fault)
        return lambda: result

    async def _guarded(self, work: Coroutine[Any, Any, Result]) -> Result:
        try:
            async with self._starting:
                await self._start()
            return await work
        except (*_NOT_ALLOWED, kafka_errors.UnknownTopicOrPartitionError):
            raise
        except Exception:
            # What is known of brokers and coordinators may be old.
            await self._drop()
            raise
        finally:
            work.close()

    async def _start(self) -> None:
        if self._client is None:
            client = AIOKafkaClient(**self._settings)
            try:
                await client.bootstrap()
            except BaseException:
                await client.close()
                raise
            self._client = client

    async def _drop(self) -> None:
        client, self._client = self._client, None
        self._coordinators.clear()
        if client is not None:
            await client.close()

    async def _read(self, groups: list[str]) -> dict[str, list[Entry]]:
        answers = await asyncio.gather(*(self._send(group, OffsetFetchRequest(group, None)) for group in groups))
        return {group: list(_entries(answer)) for group, answer in zip(groups, answers, strict=True)}

    async def _write(self, group: str, place: Place, text: str) -> None:
        topic, partition = place
        nobody = OffsetCommitRequest.DEFAULT_GENERATION_ID, "", OffsetCommitRequest.DEFAULT_RETENTION_TIME
        rows = [(topic, [(partition, PARKED_OFFSET, text)])]
        answer = await self._send(group, OffsetCommitRequest(group, *nobody, rows))
        for _, partitions in answer.topics:
            for _, code in partitions:
                _check(code, f"writing the group {group}")

    async def _delete(self, group: str) -> None:
        answer = await self._send(group, DeleteGroupsRequest([group]))
        for _, code in answer.results:
            if code not in _NO_FAULT:
                _check(code, f"deleting the group {group}")

    async def _groups(self) -> list[str]:
        nodes = [broker.nodeId for broker in self._client.cluster.brokers()]
        answers = await asyncio.gather(*(self._client.send(node, ListGroupsRequest()) for node in nodes))
        for answer in answers:
            _check(answer.error_code, "listing the groups")
        return [row[0] for answer in answers for row in answer.groups]

    async def _send(self, group: str, request: Any) -> Any:
        """To the group's coordinator."""
        client = self._client
        if group not in self._coordinators:
            self._coordinators[group] = await client.coordinator_lookup(_COORDINATORS_OF_GROUPS, group)
        return await client.send(self._coordinators[group], request)


def _raise(fault: Exception) -> NoReturn:
    raise fault


def client_settings(client: Any) -> dict[str, Any]:
    """Brokers and security of a consumer's client, for another."""
    copied = (
        "bootstrap_servers", "metadata_max_age_ms", "retry_backoff_ms", "security_protocol", "ssl_context",
        "connections_max_idle_ms", "sasl_mechanism", "sasl_plain_username", "sasl_plain_password",
        "sasl_kerberos_service_name", "sasl_kerberos_domain_name", "sasl_oauth_token_provider",
    )  # fmt: skip
    settings = {name: getattr(client, "_" + name) for name in copied if hasattr(client, "_" + name)}
    settings["client_id"] = f"{client._client_id}-segue"
    settings["request_timeout_ms"] = min(client._request_timeout_ms, _REQUEST_MS)
    return settings


def channel_key(client: Any, application: str) -> object:
    """The same for consumers that may share a channel. client: the inner one of a consumer."""
    return ("aiokafka", str(client._bootstrap_servers), application)


def _entries(answer: Any) -> Iterator[Entry]:
    _check(getattr(answer, "error_code", 0), "reading a group")
    for topic, partitions in answer.topics:
        for partition, offset, metadata, code in partitions:
            _check(code, "reading a group")
            if offset >= 0 and metadata:
                yield Entry((topic, partition), metadata)


def _check(code: int, doing: str) -> None:
    if code:
        raise kafka_errors.for_code(code)(doing)


class Seat:
    """What a plain and a stateful consumer have in common. client: the consumer of aiokafka; everything that touches it
    is done on its own loop.
    """

    application_server: str | None = None

    def __init__(self, client: Any, member: Membership) -> None:
        self.client_id: str = client._client._client_id
        self.application: str = client._group_id
        self.heartbeat_s: float = client._heartbeat_interval_ms / 1000
        self.channel_key = channel_key(client._client, self.application)
        self._client = client
        self._member = member

    def make_channel(self) -> AiokafkaChannel:
        return AiokafkaChannel(self._client._client)

    def joined(self) -> bool:
        return not self.closed() and (self._member.rounds.ended > 0 or self.running())

    def running(self) -> bool:
        coordinator, subscription = self._client._coordinator, self._client._subscription.subscription
        if coordinator is None or subscription is None:
            return False
        return coordinator.generation > 0 and not coordinator.need_rejoin(subscription)

    def closed(self) -> bool:
        return bool(self._client._closed)

    def rejoin(self) -> None:
        def request() -> None:
            if self._client._coordinator:
                self._client._coordinator.request_rejoin()

        with contextlib.suppress(RuntimeError):  # a loop that is closed has no consumer any more
            self._client._loop.call_soon_threadsafe(request)

    def _leave(self, stop: Callable[[], Coroutine[Any, Any, None]], timeout_s: float) -> bool:
        """A static member leaves as well: it has nothing to come back for."""

        async def leave() -> None:
            self._client._coordinator._group_instance_id = None
            await stop()

        done = asyncio.run_coroutine_threadsafe(leave(), self._client._loop)
        try:
            done.result(timeout_s)
        except concurrent.futures.TimeoutError:
            return False
        return True


class PlainSeat(Seat):
    """A plain AIOKafkaConsumer."""

    def __init__(self, client: Any, member: Membership, held: Callable[[], Collection[Any]]) -> None:
        super().__init__(client, member)
        self._held = held
        self._stop = client.stop

    def take_over(self, after_close: Callable[[], None]) -> None:
        """after_close: what is done after the consumer's own stop, by whomever."""

        async def stop() -> None:
            await self._stop()
            await asyncio.to_thread(after_close)

        self._client.stop = stop

    def topics(self) -> Iterable[str]:
        return self._client.subscription() or ()

    def active(self) -> int:
        return len(self._held())

    def copies(self) -> Copies:
        return Copies()

    def leave(self, timeout_s: float) -> bool:
        return self._leave(self._stop, timeout_s)


class StatefulSeat(StatefulView, Seat):
    """A stateful consumer. stop: its own, which makes last what is done, and leaves the group. beats, ring: see
    `Asking`.
    """

    def __init__(
        self,
        client: Any,
        keeper: Keeper,
        beats: Beats,
        stop: Callable[[], Coroutine[Any, Any, None]],
        ring: Callable[[Callable[[bool], None]], None],
    ) -> None:
        StatefulView.__init__(self, keeper)
        Seat.__init__(self, client, keeper.assignor.member)
        self._asking = self.asking(beats, self.running, super().rejoin, ring)
        self._stop = stop
        self.leaving = False
        """Whether it stops because it is empty; then nobody has to be told of it."""

    def closed(self) -> bool:
        """From before its stop begins: whoever looks here first is never refused records."""
        return self.leaving or super().closed()

    def rejoin(self) -> None:
        with contextlib.suppress(RuntimeError):  # a loop that is closed has no consumer any more
            self._client._loop.call_soon_threadsafe(self._asking.ask)

    def rejoin_calmly(self) -> None:
        """On the loop."""
        self._asking.ask_calmly()

    def leave(self, timeout_s: float) -> bool:
        self.leaving = True
        return self._leave(self._stop, timeout_s)
