# SPDX-License-Identifier: Apache-2.0
"""How a stranger knocks over kafka-python."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable
from typing import Any

from kafka.protocol.consumer import HeartbeatRequest, JoinGroupRequest, LeaveGroupRequest
from kafka.protocol.consumer.metadata import ConsumerProtocolSubscription, ConsumerProtocolType
from kafka.protocol.metadata import CoordinatorType, FindCoordinatorRequest

from segue._clients.assignor import PROTOCOL_VERSION
from segue._clients.knock import knock
from segue._clients.stateful import PROTOCOL_NAME
from segue._state.log import log

# Of one request, and of all that are made one after the other.
_TIMEOUT_MS = 2_000
_LONGEST_MS = 10_000
_PAUSE_S = 0.002
# The first that gives ids before a member is in the group, and the last that the client's own coordinator uses.
_JOINS = {"min_version": 5, "max_version": 7}


class KafkaPythonDoor:
    """client: a consumer that fetches nothing. config: of the one in the group."""

    def __init__(self, client: Any, config: dict[str, Any]) -> None:
        self._manager = client._manager
        self._group: str = config["group_id"]
        self._session_ms: int = config["session_timeout_ms"]
        self._rebalance_ms: int = config["max_poll_interval_ms"]
        self._changed = threading.Condition()
        self._knocking = 0
        self._stopped = False
        self._node: Any = None
        self._other: Any = None

    def ring(self, then: Callable[[bool], None]) -> None:
        """Has somebody knock on the client's own thread, where `then` is called with whether that has worked."""
        with self._changed:
            if self._stopped:
                return
            self._knocking += 1
        self._manager.call_soon(self._knock).add_callback(then)

    def stop(self) -> None:
        """Waits until nobody knocks any more: who has not left yet would be in the group."""
        with self._changed:
            self._stopped = True
            self._changed.wait_for(lambda: not self._knocking, _LONGEST_MS / 1000)

    async def _knock(self) -> bool:
        try:
            await self._find()
            return await knock(self)
        except Exception as fault:
            log.debug("knocking at the group %s failed: %r", self._group, fault)
            return False
        finally:
            with self._changed:
                self._knocking -= 1
                self._changed.notify_all()

    async def _find(self) -> None:
        """Each time, since a group may go to another broker. The client keeps two connections to that one."""
        asked = FindCoordinatorRequest(key=self._group, key_type=0, coordinator_keys=[self._group])
        answer = await self._manager.send(asked, request_timeout_ms=_TIMEOUT_MS)
        found = answer.coordinators[0] if answer.coordinators else answer
        self._node = found.node_id
        self._other = self._manager.cluster.add_coordinator(found, CoordinatorType.GROUP, self._group)

    async def name(self) -> tuple[int, str]:
        answer = await self._send(self._other, self._joining(""))
        return answer.error_code, answer.member_id

    def join(self, member: str) -> Callable[[], bool]:
        held = self._send(self._other, self._joining(member))
        return lambda: bool(held.is_done)

    async def heartbeat(self, member: str) -> int:
        asked = HeartbeatRequest(group_id=self._group, generation_id=-1, member_id=member, group_instance_id=None)
        return int((await self._send(self._node, asked)).error_code)

    async def leave(self, member: str) -> None:
        leaving = LeaveGroupRequest.MemberIdentity(member_id=member, group_instance_id=None, reason="knocked")
        await self._send(self._node, LeaveGroupRequest(group_id=self._group, member_id=member, members=[leaving]))

    def pause(self) -> Awaitable[None]:
        return self._manager._net.sleep(_PAUSE_S)  # type: ignore[no-any-return]  # kafka-python has no types

    def _send(self, node: Any, request: Any) -> Any:
        return self._manager.send(request, node_id=node, request_timeout_ms=_TIMEOUT_MS)

    def _joining(self, member: str) -> JoinGroupRequest:
        nothing = ConsumerProtocolSubscription(version=PROTOCOL_VERSION, topics=[], user_data=None)
        return JoinGroupRequest(
            group_id=self._group,
            session_timeout_ms=self._session_ms,
            rebalance_timeout_ms=self._rebalance_ms,
            member_id=member,
            group_instance_id=None,
            protocol_type=ConsumerProtocolType,
            protocols=[(PROTOCOL_NAME, nothing)],
            **_JOINS,
        )
