# SPDX-License-Identifier: Apache-2.0
"""The API as an ASGI application, for who serves HTTP already."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, MutableMapping
from typing import Any

from segue._drain import http_api

log = logging.getLogger("segue")

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Coroutine[Any, Any, None]]


def app_of(api: http_api.Api, longest_request_s: float = http_api.LONGEST_REQUEST_S) -> App:
    """May be mounted below a path. Runs on asyncio."""

    async def app(scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _live(receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        elif scope["type"] == "http":
            await _serve(api, scope, receive, send, longest_request_s)

    return app


async def _live(receive: Receive, send: Send) -> None:
    while True:
        event = (await receive())["type"]
        await send({"type": f"{event}.complete"})
        if event == "lifespan.shutdown":
            return


async def _serve(
    api: http_api.Api, scope: MutableMapping[str, Any], receive: Receive, send: Send, longest_s: float
) -> None:
    try:
        answer = await asyncio.wait_for(_answer(api, scope, receive), longest_s)
    except asyncio.TimeoutError:
        answer = http_api.fault(408, f"the request was not there within {longest_s:g} s")
    except _Gone:
        return
    except Exception:
        log.warning("answering %s %s failed", scope["method"], scope["path"], exc_info=True)
        answer = http_api.fault(500, "that failed; the application's log says why")
    headers = [(b"content-type", answer.kind.encode()), (b"content-length", b"%d" % len(answer.body))]
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else answer.body})


async def _answer(api: http_api.Api, scope: MutableMapping[str, Any], receive: Receive) -> http_api.Answer:
    body = await _body(receive)
    if body is None:
        return http_api.fault(413, f"the body may have {http_api.MOST_BODY_BYTES} bytes at the most")
    found = http_api.ask(api, _request(scope, body))
    if isinstance(found, http_api.Change):
        done = asyncio.wrap_future(found.done)
        done.add_done_callback(lambda late: late.cancelled() or late.exception())  # nobody else may look any more
        await asyncio.wait([done], timeout=http_api.LONGEST_CHANGE_S)
        found = found.answer()
    return found


def _request(scope: MutableMapping[str, Any], body: bytes) -> http_api.Request:
    headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
    query = bytes(scope.get("query_string", b"")).decode("latin-1")
    return http_api.Request(scope["method"], _path(scope), headers, body, query)


async def _body(receive: Receive) -> bytes | None:
    """None for one that is too long."""
    body: bytes = b""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _Gone
        body += bytes(message.get("body", b""))
        if len(body) > http_api.MOST_BODY_BYTES:
            return None
        if not message.get("more_body", False):
            return body


def _path(scope: MutableMapping[str, Any]) -> str:
    """Below where it is mounted; whether servers count that in has changed with ASGI 2.3."""
    path, root = str(scope["path"]), str(scope.get("root_path", "")).rstrip("/")
    return path[len(root) :] if root and path.startswith(root + "/") else path


class _Gone(Exception):
    """Nobody waits for an answer."""
