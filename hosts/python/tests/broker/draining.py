# SPDX-License-Identifier: Apache-2.0
"""An application of attached consumers, and the program `segue` beside it."""

from __future__ import annotations

import json
import signal
import subprocess
import urllib.error
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Any

from broker.process import PATIENCE_S, Process, wait_for

PROGRAM = Path(__file__).resolve().parents[4] / "build/release/segue"


class Member(Process):
    """One consumer. name: its client id."""

    def __init__(self, client: str, name: str, topic: str, assignor: str, options: dict[str, Any]) -> None:
        self.name = name
        self.holds: frozenset[int] = frozenset()
        self.port = 0
        self.id = ""
        self.drained = ""
        super().__init__(
            "drain_process.py", client, topic, assignor, json.dumps(options | {"client_id": name}), flags=("-X", "dev")
        )

    def hear(self, said: dict[str, Any]) -> None:
        self.holds = frozenset(said.get("holds", self.holds))
        self.port, self.id = said.get("port", self.port), said.get("id", self.id)
        self.drained = said.get("drained", self.drained)

    def terminate(self) -> None:
        self.process.send_signal(signal.SIGTERM)

    def http(self, method: str, path: str, body: bytes | None = None) -> Any:
        """The answer's document, or its text. Where Kafka does not answer in time, or nothing within the twelve seconds
        of a request, it is asked again.
        """
        return wait_for(lambda: self._ask(method, path, body), lambda: f"{self.name} does not answer {path}")

    def _ask(self, method: str, path: str, body: bytes | None) -> Any:
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", body, method=method)
        request.add_header("Authorization", "Bearer s3cret")
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
                text = answer.read().decode()
        except urllib.error.HTTPError as refused:
            with refused:
                if refused.code != 503:
                    raise
            return None
        except ConnectionError:
            return None
        return json.loads(text) if answer.headers["Content-Type"] == "application/json" else text


class Application:
    """The members of one group on a topic of the same name with eight partitions."""

    def __init__(self, server: str, name: str) -> None:
        self.name = name
        self.options: dict[str, Any] = {"bootstrap_servers": server, "group_id": name}
        self.members: list[Member] = []

    def __enter__(self) -> Application:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: BaseException | TracebackType | None) -> None:
        statuses = [one.leave() for one in self.members]
        for one in self.members:
            if kind is not None:
                print(one.process.args, one.said()[-6000:], sep="\n")
            one.log.close()
        assert not any(statuses), statuses

    def join(self, *clients: str, assignor: str = "scale-down", **options: Any) -> list[Member]:
        """One of each, called `orders-1` and so on; waits until all have their share."""
        made = [self.start(client, assignor, **options) for client in clients]
        self.settle(*self.members)
        return made

    def start(self, client: str, assignor: str = "scale-down", **options: Any) -> Member:
        """The same for one, without waiting."""
        name = f"orders-{len(self.members) + 1}"
        self.members.append(Member(client, name, self.name, assignor, self.options | options))
        return self.members[-1]

    def settle(self, *those: Member) -> None:
        """Waits until these have everything, evenly, and nobody else has anything."""

        def settled() -> bool:
            sizes = [len(one.holds) for one in those]
            held = frozenset().union(*(one.holds for one in those))
            others = [one for one in self.members if one not in those and one.holds]
            return not others and sum(sizes) == len(held) == 8 and max(sizes) - min(sizes) <= 1

        wait_for(settled, lambda: [(one.name, sorted(one.holds)) for one in self.members])

    def published(self, *those: Member) -> None:
        """Waits until tools see these and what they have."""
        wait_for(lambda: all(self.row(one).get("active") == len(one.holds) for one in those), self.rows)

    def segue(self, word: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """The program, until it ends."""
        return run(self.options["bootstrap_servers"], self.name, word, *arguments)

    def waiting(self, word: str, *arguments: str) -> subprocess.Popen[str]:
        """The program in the background."""
        command = command_of(self.options["bootstrap_servers"], self.name, word, *arguments)
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def status(self) -> Any:
        return json.loads(self.segue("status", "--json").stdout)

    def rows(self) -> list[dict[str, Any]]:
        """What the members tell of themselves."""
        return [row["presence"] for row in self.status()["instances"] if row["presence"]]

    def row(self, member: Member) -> dict[str, Any]:
        """Empty for one that tells nothing."""
        return next((row for row in self.rows() if row["client_id"] == member.name), {})


def run(server: str, application: str, word: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The program `segue`, until it ends."""
    return ended(command_of(server, application, word, *arguments))


def ended(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=2 * PATIENCE_S, check=False)


def command_of(server: str, application: str, word: str, *arguments: str) -> list[str]:
    return [str(PROGRAM), word, "--bootstrap-server", server, "--application-id", application, *arguments]
