# SPDX-License-Identifier: Apache-2.0
"""How a stranger knocks over aiokafka."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from aiokafka.client import ConnectionGroup, CoordinationType
from aiokafka.coordinator.protocol import ConsumerProtocol, ConsumerProtocolMemberMetadata
from aiokafka.protocol.group import HeartbeatRequest, JoinGroupRequest, LeaveGroupRequest

from segue._aiokafka.topics import Topics
from segue._clients.assignor import PROTOCOL_VERSION
from segue._clients.knock import knock
from segue._clients.stateful import PROTOCOL_NAME
from segue._state.log import log

_TIMEOUT_S = 2.0
_PAUSE_S = 0.002


class AiokafkaDoor:
    """topics: its client fetches nothing. member: the consumer in the group."""

    def __init__(self, topics: Topics, member: Any) -> None:
        self._topics = topics
        self._member = member
        self._group: str = member._group_id
        self._node = 0
        self._knocking: set[asyncio.Task[None]] = set()
        self._stopped = False

    def ring(self, then: Callable[[bool], None]) -> None:
        """Has somebody knock, on the running loop, where `then` is called with whether that has worked."""
        if not self._stopped:
            task = asyncio.get_running_loop().create_task(self._ring(then))
            self._knocking.add(task)
            task.add_done_callback(self._knocking.discard)

    async def stop(self) -> None:
        """Waits until nobody knocks any more: who has not left yet would be in the group."""
        self._stopped = True
        if self._knocking:
            await asyncio.wait(self._knocking)

    async def _ring(self, then: Callable[[bool], None]) -> None:
        try:
            worked = await asyncio.wait_for(self._knock(), _TIMEOUT_S)
        except Exception as fault:
            log.debug("knocking at the group %s failed: %r", self._group, fault)
            worked = False
        then(worked)

    async def _knock(self) -> bool:
        """A group may go to another broker. The client has two connections to that one."""
        self._node = await self._topics.client.coordinator_lookup(CoordinationType.GROUP, self._group)
        return await knock(self)

    async def name(self) -> tuple[int, str]:
        answer = await self._join("")
        return answer.error_code, answer.member_id

    def join(self, member: str) -> Callable[[], bool]:
        held = asyncio.ensure_future(self._join(member))
        held.add_done_callback(_heard)
        return held.done

    async def heartbeat(self, member: str) -> int:
        return int((await self._send(HeartbeatRequest(self._group, -1, member))).error_code)

    async def leave(self, member: str) -> None:
        await self._send(LeaveGroupRequest(self._group, member))

    def pause(self) -> Awaitable[None]:
        return asyncio.sleep(_PAUSE_S)

    async def _send(self, request: Any) -> Any:
        return await self._topics.client.send(self._node, request)

    async def _join(self, member: str) -> Any:
        nothing = ConsumerProtocolMemberMetadata(PROTOCOL_VERSION, [], b"")
        request = JoinGroupRequest(
            self._group,
            self._member._session_timeout_ms,
            self._member._rebalance_timeout_ms,
            member,
            None,
            ConsumerProtocol.PROTOCOL_TYPE,
            [(PROTOCOL_NAME, nothing.encode())],
        )
        return await self._topics.client.send(self._node, request, group=ConnectionGroup.COORDINATION)


def _heard(joined: asyncio.Future[Any]) -> None:
    """It is told that it is no member any more; nobody needs to know."""
    if not joined.cancelled():
        joined.exception()
