# SPDX-License-Identifier: Apache-2.0
"""The three verbs over HTTP: by the standard library's server and as an ASGI application, with the same answers."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import threading
from collections.abc import Iterator
from typing import Any, Protocol

import pytest

from drain.fakes import wait_for
from segue import DrainError, DrainState, Pending, Phase
from segue._drain.asgi_app import app_of
from segue._drain.http_server import HttpServer

TOKEN = "s3cret"
Said = tuple[int, Any]


class Played:
    """An instance, as far as HTTP sees it."""

    def __init__(self) -> None:
        self.drain_state = DrainState()
        self.ready = True
        self.http_token: str | None = None
        self.fault: Exception | None = None
        self.refusal: DrainError | None = None
        self.frames: bytes | None = None
        self.asked: list[tuple[float | None, bool]] = []

    def mark(self, timeout: float | None = None, *, stay: bool = False) -> Pending[DrainState]:
        self.asked.append((timeout, stay))
        self.drain_state = DrainState(Phase.DRAINING, 5000, 65_000, 3)
        return self._answer(self.drain_state)

    def cancel_drain(self) -> Pending[bool]:
        self.drain_state = DrainState()
        return self._answer(True)

    def last_rebalance(self) -> bytes | None:
        return self.frames

    def metrics(self) -> str:
        return "segue_leaving 0\n"

    def _answer(self, result: Any) -> Pending[Any]:
        if self.refusal:
            raise self.refusal
        answer: Pending[Any] = Pending()
        if self.fault:
            answer.set_exception(self.fault)
        else:
            answer.set_result(result)
        return answer


class Way(Protocol):
    """One of the two ways to ask."""

    def __call__(self, method: str, path: str, body: bytes = b"", **headers: str) -> Said: ...


@pytest.fixture
def played() -> Played:
    return Played()


@pytest.fixture(params=["server", "asgi"])
def ask(request: pytest.FixtureRequest, played: Played) -> Iterator[Way]:
    if request.param == "asgi":
        yield lambda method, path, body=b"", **headers: over_asgi(played, method, path, body, headers)
        return
    server = HttpServer(played, "127.0.0.1", 0)
    yield lambda method, path, body=b"", **headers: over_http(server.port, method, path, body, headers)
    server.close()


def over_http(port: int, method: str, path: str, body: bytes, headers: dict[str, str]) -> Said:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request(method, path, body or None, headers)
        answer = connection.getresponse()
        return answer.status, _read(answer.headers["Content-Type"], answer.read())
    finally:
        connection.close()


def over_asgi(
    played: Played, method: str, path: str, body: bytes, headers: dict[str, str], root: str = "", cut: bool = False
) -> Said:
    sent: list[Any] = []
    parts = [{"type": "http.request", "body": body[:7], "more_body": True}, {"type": "http.request", "body": body[7:]}]

    async def receive() -> Any:
        return parts.pop(0) if parts and not cut else {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http", "method": method, "path": root + path.partition("?")[0], "root_path": root,
        "query_string": path.partition("?")[2].encode(),
        "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()],
    }  # fmt: skip
    asyncio.run(app_of(played)(scope, receive, send))
    if not sent:
        return 0, None
    kind = dict(sent[0]["headers"])[b"content-type"].decode()
    return sent[0]["status"], _read(kind, sent[1]["body"])


def _read(kind: str, body: bytes) -> Any:
    if kind == "application/octet-stream":
        return body
    return json.loads(body) if body and kind == "application/json" else body.decode()


def test_a_drain_is_read_begun_and_taken_back(played: Played, ask: Way) -> None:
    """The bodies are those of the JVM's instances; `timestamp` is what operators for delayed downscaling read."""
    idle = {"state": "running", "timestamp": 0, "tasks_left": 0, "ready_to_stop": False}
    assert ask("GET", "/drain") == (200, idle)
    marked = {"state": "draining", "timestamp": 5, "since_ms": 5000, "deadline_ms": 65_000, "tasks_left": 3,
              "ready_to_stop": False}  # fmt: skip
    assert ask("POST", "/drain", b'{"timeout_ms":60000,"stay":true}') == (200, marked)
    assert ask("POST", "/drain") == (200, marked)
    assert played.asked == [(60.0, True), (None, False)]
    assert ask("DELETE", "/drain") == (200, idle)


def test_readiness_and_figures_are_there(played: Played, ask: Way) -> None:
    assert ask("GET", "/ready") == (200, {"ready": True, "state": "running"})
    played.ready = False
    assert ask("GET", "/ready") == (503, {"ready": False, "state": "running"})
    assert ask("GET", "/metrics") == (200, "segue_leaving 0\n")


def test_the_last_rebalance_is_for_who_has_the_token(played: Played, ask: Way) -> None:
    """Names of members and tasks are in it. Where another led, or nobody had a plan, there is nothing to tell."""
    status, answer = ask("GET", "/rebalance")
    assert (status, "another instance led the last rebalance" in answer["error"]) == (404, True)
    played.frames = bytes(range(256))
    assert ask("GET", "/rebalance") == (200, played.frames)
    assert ask("POST", "/rebalance")[0] == 405
    assert ask("GET", "/rebalance", Origin="https://example.org")[0] == 403
    played.http_token = TOKEN
    assert ask("GET", "/rebalance")[0] == 401
    assert ask("GET", "/rebalance", Authorization=f"Bearer {TOKEN}") == (200, played.frames)


def test_a_group_of_many_megabytes_is_told_whole(played: Played, ask: Way) -> None:
    played.frames = bytes(range(256)) * (32 << 12)
    assert ask("GET", "/rebalance") == (200, played.frames)


@pytest.mark.parametrize(
    "body",
    [b"drain", b"[]", b'{"timeout_ms":-1}', b'{"timeout_ms":1.5}', b'{"timeout_ms":"1m"}', b'{"timeout_ms":true}',
     b'{"timeout_ms":null}', b'{"timeout_ms":9223372036854775808}', b'{"stay":1}', b'{"timeout":1}', b"\xff",
     b"{" * 4000],
)  # fmt: skip
def test_a_wrong_wish_is_refused_in_one_sentence(played: Played, ask: Way, body: bytes) -> None:
    status, answer = ask("POST", "/drain", body)
    assert status == 400
    assert answer["error"]
    assert played.asked == []


@pytest.mark.parametrize("method", ["POST", "DELETE", "GET"])
def test_a_wish_in_the_query_is_refused(played: Played, ask: Way, method: str) -> None:
    """It would be a drain without a deadline otherwise; who only reads may say what it likes."""
    status, answer = ask(method, "/drain?timeout_ms=600000")
    assert (status, "takes no query" in answer["error"]) == (400, True)
    assert played.asked == []
    assert ask("GET", "/ready?probe=kubelet")[0] == 200


def test_what_is_not_there_is_said(ask: Way) -> None:
    assert ask("GET", "/")[0] == 404
    assert ask("PUT", "/drain")[0] == 405
    assert ask("POST", "/ready")[0] == 405
    assert ask("HEAD", "/metrics") == (405, "")


def test_a_change_needs_the_token_and_no_browser(played: Played, ask: Way) -> None:
    """Any page may send requests to a loopback address; reading is free."""
    assert ask("POST", "/drain", Origin="https://example.org")[0] == 403
    played.http_token = TOKEN
    for authorization in ("", TOKEN, f"Bearer {TOKEN}x", f"bearer {TOKEN}", "Bearer \u00e9"):
        assert ask("DELETE", "/drain", Authorization=authorization)[0] == 401
    assert ask("DELETE", "/drain")[0] == 401
    assert played.asked == []
    assert ask("POST", "/drain", Authorization=f"Bearer {TOKEN}")[0] == 200
    assert ask("GET", "/drain")[0] == 200


def test_what_cannot_be_and_what_kafka_does_not_take_are_told_apart(played: Played, ask: Way) -> None:
    played.refusal = DrainError("cannot be drained: the assignor learner heeds no marks", code="no-marks")
    assert ask("POST", "/drain") == (409, {"error": str(played.refusal)})
    played.refusal = None
    played.fault = DrainError("Kafka did not take it: no answer in time", code="kafka")
    assert ask("DELETE", "/drain") == (503, {"error": str(played.fault)})
    played.fault = DrainError("this consumer is closed", code="closed")
    assert ask("POST", "/drain") == (409, {"error": str(played.fault)})


def test_a_body_that_is_too_long_is_refused(ask: Way) -> None:
    assert ask("POST", "/drain", b" " * 4097)[0] == 413
    assert ask("POST", "/drain", b" " * 4096)[0] == 200


def test_an_asgi_application_may_be_mounted_below_a_path(played: Played) -> None:
    assert over_asgi(played, "GET", "/ready", b"", {}, root="/segue")[0] == 200


def test_who_has_gone_gets_no_answer(played: Played) -> None:
    assert over_asgi(played, "POST", "/drain", b"{}", {}, cut=True) == (0, None)
    assert played.asked == []


def test_an_asgi_server_may_start_and_stop_it(played: Played) -> None:
    events, sent = [{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}], []

    async def receive() -> Any:
        return events.pop(0)

    async def send(message: Any) -> None:
        sent.append(message["type"])

    asyncio.run(app_of(played)({"type": "lifespan"}, receive, send))
    assert sent == ["lifespan.startup.complete", "lifespan.shutdown.complete"]


@pytest.fixture
def hasty(played: Played) -> Iterator[HttpServer]:
    """A server that gives a request a second and a half."""
    server = HttpServer(played, "127.0.0.1", 0, longest_request_s=1.5)
    yield server
    server.close()


def test_it_closes_where_no_thread_can_be_started(played: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    """As while the interpreter shuts down, from Python 3.12 on."""
    server = HttpServer(played, "127.0.0.1", 0)

    def refuse(*_: Any) -> None:
        raise RuntimeError("can't create new thread at interpreter shutdown")

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        server.close()
    wait_for(lambda: not takes_connections(server.port))


def takes_connections(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 20).close()
    except ConnectionRefusedError:
        return False
    return True


@pytest.mark.parametrize(
    "begun", [b"", b"GET /ready HTTP/1.1\r\n", b"POST /drain HTTP/1.1\r\nContent-Length: 9\r\n\r\n{"]
)
def test_slow_clients_are_cut_and_keep_nobody_out(hasty: HttpServer, begun: bytes) -> None:
    """However far they came; others are answered meanwhile."""
    slow = [socket.create_connection(("127.0.0.1", hasty.port), 20) for _ in range(5)]
    for one in slow:
        one.sendall(begun)
    assert over_http(hasty.port, "GET", "/ready", b"", {})[0] == 200
    for one in slow:
        assert one.recv(1) == b""
        one.close()
    assert over_http(hasty.port, "GET", "/ready", b"", {})[0] == 200


def test_more_connections_than_there_may_be_are_turned_away(hasty: HttpServer) -> None:
    """For no longer than a request may take."""
    many = [socket.create_connection(("127.0.0.1", hasty.port), 20) for _ in range(40)]
    assert [one.recv(1) for one in many] == [b""] * 40
    for one in many:
        one.close()
    assert over_http(hasty.port, "GET", "/ready", b"", {})[0] == 200


@pytest.mark.parametrize(
    ("request_text", "status"),
    [(b"GET\r\n\r\n", b"400"), (b"GET /ready HTTP/9.9\r\n\r\n", b"505"), (b"A" * 70_000, b"414"),
     (b"POST /drain HTTP/1.1\r\nContent-Length: -1\r\n\r\n", b"400"),
     (b"POST /drain HTTP/1.1\r\nContent-Length: x\r\n\r\n", b"400"),
     (b"POST /drain HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", b"411")],
)  # fmt: skip
def test_no_request_is_answered_in_one_sentence(hasty: HttpServer, request_text: bytes, status: bytes) -> None:
    with socket.create_connection(("127.0.0.1", hasty.port), 20) as connection:
        connection.sendall(request_text)
        head, _, body = b"".join(iter(lambda: connection.recv(4096), b"")).partition(b"\r\n\r\n")
    assert status in head.splitlines()[0]
    assert json.loads(body)["error"]
