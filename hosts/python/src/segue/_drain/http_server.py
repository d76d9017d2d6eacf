# SPDX-License-Identifier: Apache-2.0
"""The standard library's HTTP server in front of the API.

Slow clients keep nobody out: there are so many connections at once, what is more is turned away, and one that takes
longer than LONGEST_REQUEST_S in all is cut.
"""

from __future__ import annotations

import contextlib
import logging
import socket
import threading
import time
from concurrent.futures import wait
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from typing import Any

from segue._drain import http_api

log = logging.getLogger("segue")

_MOST_CONNECTIONS = 32
_LONGEST_CLOSE_S = 1.0
# How long `close` takes at the most, and how late a connection that takes too long may be cut.
_POLL_S = 0.1


class HttpServer:
    """Serves from now on, on daemon threads. Raises OSError where the address cannot be had."""

    def __init__(
        self, api: http_api.Api, host: str, port: int, longest_request_s: float = http_api.LONGEST_REQUEST_S
    ) -> None:
        self._server = _server(api, host, port, longest_request_s)
        self.port: int = self._server.server_address[1]
        threading.Thread(target=self._serve, name="segue-http", daemon=True).start()
        log.info("serving /drain, /ready, /rebalance and /metrics at %s:%d", host, self.port)

    def close(self) -> None:
        """Takes no more requests; running answers may still end, for a moment. May be called on a thread that answers,
        and when the interpreter is shutting down, which starts no more threads.
        """
        self._server.shutdown()

    def _serve(self) -> None:
        self._server.serve_forever(_POLL_S)
        self._server.server_close()
        self._server.drop_all(after_s=_LONGEST_CLOSE_S)


class _Server(ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False
    request_queue_size = 16

    def __init__(self, address: Any, api: http_api.Api, longest_request_s: float) -> None:
        self.api = api
        self._longest_s = longest_request_s
        self._lock = threading.Condition()
        self._open: dict[socket.socket, float] = {}
        super().__init__(address, _Handler)

    def verify_request(self, request: Any, client_address: Any) -> bool:
        """Here a connection is let in."""
        with self._lock:
            if len(self._open) >= _MOST_CONNECTIONS:
                return False
            self._open[request] = time.monotonic() + self._longest_s
            return True

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._open.pop(request, None)
            self._lock.notify_all()
        super().shutdown_request(request)

    def service_actions(self) -> None:
        """Between connections: those that are late are cut, whatever their thread waits for."""
        now = time.monotonic()
        with self._lock:
            for request, until in self._open.items():
                if now >= until:
                    _cut(request)

    def drop_all(self, after_s: float) -> None:
        with self._lock:
            self._lock.wait_for(lambda: not self._open, after_s)
            for request in self._open:
                _cut(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        log.debug("a connection over HTTP ended in the middle", exc_info=True)


class _Server6(_Server):
    address_family = socket.AF_INET6


class _Handler(BaseHTTPRequestHandler):
    """One request for each connection."""

    server_version = "segue"
    sys_version = ""
    server: _Server

    def handle_one_request(self) -> None:
        """Whatever the method is: the API says what there is."""
        self.raw_requestline = self.rfile.readline(65_537)
        if len(self.raw_requestline) > 65_536:
            self.requestline = self.command = ""
            self.send_error(414, "the first line of the request is too long")
        elif self.raw_requestline and self.parse_request():
            self._send(self._answer())

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        self.request_version = self.protocol_version  # the oldest form of HTTP would not even tell the status
        self._send(http_api.fault(int(code), message or "that is no request"))

    def log_message(self, format: str, *args: Any) -> None:
        log.debug("HTTP: " + format, *args)

    def _answer(self) -> http_api.Answer:
        try:
            body = self._body()
            if isinstance(body, http_api.Answer):
                return body
            headers = {name.lower(): value for name, value in self.headers.items()}
            path, _, query = self.path.partition("?")
            found = http_api.ask(self.server.api, http_api.Request(self.command, path, headers, body, query))
            if isinstance(found, http_api.Change):
                wait([found.done], http_api.LONGEST_CHANGE_S)
                found = found.answer()
            return found
        except OSError:
            raise
        except Exception:
            log.warning("answering %s %s failed", self.command, self.path, exc_info=True)
            return http_api.fault(500, "that failed; the application's log says why")

    def _body(self) -> bytes | http_api.Answer:
        if "transfer-encoding" in self.headers:
            return http_api.fault(411, "a body needs its Content-Length")
        given = self.headers.get("content-length", "0").strip()
        if not (given.isascii() and given.isdigit() and len(given) < 20):
            return http_api.fault(400, "Content-Length has to be a number of bytes")
        body = self.rfile.read(min(int(given), http_api.MOST_BODY_BYTES + 1))
        if len(body) > http_api.MOST_BODY_BYTES:
            return http_api.fault(413, f"the body may have {http_api.MOST_BODY_BYTES} bytes at the most")
        if len(body) < int(given):
            raise ConnectionError("the body ended before its length")
        return body

    def _send(self, answer: http_api.Answer) -> None:
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.kind)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body)


def _server(api: http_api.Api, host: str, port: int, longest_request_s: float) -> _Server:
    family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    kind = _Server6 if family == socket.AF_INET6 else _Server
    return kind(address, api, longest_request_s)


def _cut(request: socket.socket) -> None:
    with contextlib.suppress(OSError):
        request.shutdown(socket.SHUT_RDWR)
