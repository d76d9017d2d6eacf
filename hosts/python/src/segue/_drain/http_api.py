# SPDX-License-Identifier: Apache-2.0
"""What HTTP offers, as a function of a request.

GET changes nothing; what changes something wants the token, where one is set, and is refused to browsers, because any
page may send requests to a loopback address. So does the last rebalance, which `segue plan` asks for.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Protocol

from segue._drain import documents
from segue._drain.settings import HTTP_TOKEN
from segue._drain.state import DrainState
from segue._errors import DrainError

MOST_BODY_BYTES = 4_096
# How long a change may take until Kafka has it, and a whole request; the latter has to be longer.
LONGEST_CHANGE_S = 8.0
LONGEST_REQUEST_S = 12.0


class Api(Protocol):
    """What of an `Instance` is offered."""

    @property
    def drain_state(self) -> DrainState: ...

    @property
    def ready(self) -> bool: ...

    @property
    def http_token(self) -> str | None: ...

    def mark(self, timeout: float | None = None, *, stay: bool = False) -> Future[DrainState]: ...

    def cancel_drain(self) -> Future[bool]: ...

    def last_rebalance(self) -> bytes | None: ...

    def metrics(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Request:
    """method: in capitals. path: without the query. headers: by names in small letters. query: what is behind the
    question mark.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes = b""
    query: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """status: as HTTP numbers it."""

    status: int
    kind: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Change:
    """What is under way in Kafka: wait LONGEST_CHANGE_S for `done`, then `answer`."""

    done: Future[Any]
    api: Api

    def answer(self) -> Answer:
        if not self.done.done():
            return fault(503, "Kafka did not answer in time; ask again")
        failed = None if self.done.cancelled() else self.done.exception()
        if failed is None:
            return _json(200, _document(self.api.drain_state))
        if isinstance(failed, DrainError) and failed.code != "kafka":
            return fault(409, str(failed))
        return fault(503, str(failed))


def ask(api: Api, request: Request) -> Answer | Change:
    """The answer, or the change that has to be waited for."""
    if request.path == "/drain":
        return _drain(api, request)
    readable: dict[str, Callable[[Api], Answer]] = {
        "/ready": _readiness,
        "/rebalance": lambda api: _refusal(api, request) or _rebalance(api),
        "/metrics": _metrics,
    }
    if request.path not in readable:
        return fault(404, "there are /drain, /ready, /rebalance and /metrics")
    if request.method != "GET":
        return fault(405, f"{request.path} can only be read: GET")
    return readable[request.path](api)


def fault(status: int, sentence: str) -> Answer:
    """One sentence that says what is wrong."""
    return _json(status, {"error": sentence})


def _drain(api: Api, request: Request) -> Answer | Change:
    if request.query:  # dropped unread it would be a drain without the deadline that was meant
        return fault(400, '/drain takes no query: what is wished for stands in the body, as {"timeout_ms":600000}')
    if request.method == "GET":
        return _json(200, _document(api.drain_state))
    if request.method not in ("POST", "DELETE"):
        return fault(405, "/drain knows GET, POST and DELETE")
    if refusal := _refusal(api, request):
        return refusal
    return _mark(api, request.body) if request.method == "POST" else _begin(api, api.cancel_drain)


def _refusal(api: Api, request: Request) -> Answer | None:
    if "origin" in request.headers:
        return fault(403, "a page in a browser may not drain an instance")
    given, wanted = request.headers.get("authorization", ""), f"Bearer {api.http_token}"
    if api.http_token is None or hmac.compare_digest(_bytes(given), _bytes(wanted)):
        return None
    return fault(401, f"the header 'Authorization: Bearer …' has to carry {HTTP_TOKEN}")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _mark(api: Api, body: bytes) -> Answer | Change:
    wish = documents.parse(body.decode("utf-8", "replace")) if body.strip() else {}
    if wish is None:
        return fault(400, 'the body has to be a JSON object such as {"timeout_ms":600000}')
    timeout_ms, stay = wish.get("timeout_ms", 0), wish.get("stay", False)
    if type(timeout_ms) is not int or not 0 <= timeout_ms < 2**63:
        return fault(400, "timeout_ms has to be a number of milliseconds, 0 or more")
    if type(stay) is not bool:
        return fault(400, "stay has to be true or false")
    if wish.keys() - {"timeout_ms", "stay"}:
        return fault(400, "a drain knows timeout_ms and stay, and nothing else")
    return _begin(api, lambda: api.mark(timeout_ms / 1000 if "timeout_ms" in wish else None, stay=stay))


def _begin(api: Api, change: Callable[[], Future[Any]]) -> Answer | Change:
    try:
        return Change(change(), api)
    except DrainError as impossible:
        return fault(409, str(impossible))


def _readiness(api: Api) -> Answer:
    works = api.ready
    return _json(200 if works else 503, {"ready": works, "state": api.drain_state.phase.value})


def _rebalance(api: Api) -> Answer:
    """Names of tasks and members are not for everybody, so it takes the token."""
    frames = api.last_rebalance()
    if frames is None:
        return fault(404, "another instance led the last rebalance, or there was no plan: segue status says which")
    return Answer(200, "application/octet-stream", frames)


def _metrics(api: Api) -> Answer:
    return Answer(200, "text/plain; version=0.0.4", api.metrics().encode())


def _document(state: DrainState) -> dict[str, Any]:
    """`timestamp`, in seconds, is what operators for delayed downscaling read; 0 means not marked."""
    times = {"since_ms": state.since_ms, "deadline_ms": state.deadline_ms}
    return {
        "state": state.phase.value,
        "timestamp": (state.since_ms or 0) // 1000,
        **{key: value for key, value in times.items() if value is not None},
        "tasks_left": state.tasks_left,
        "ready_to_stop": state.ready_to_stop,
    }


def _json(status: int, document: Mapping[str, Any]) -> Answer:
    body = json.dumps(document, separators=(",", ":"), ensure_ascii=False) + "\n"
    return Answer(status, "application/json", body.encode("utf-8", "replace"))
