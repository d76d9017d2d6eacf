# SPDX-License-Identifier: Apache-2.0
"""What the tests of the program against a cluster share: a broker, instances that are played, and the program."""

import contextlib
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest
from collections.abc import Callable, Iterator
from typing import IO, Any

import cluster

SKIPPED = 77
# Longer than any sound run needs on a machine that has ten times as much to do.
PATIENCE_S = 300
# What is told of spans is told by their two largest units: of days, an hour more or less cannot be seen.
DAY_MS = 86_400_000
# A presence counts for three minutes, on both sides of now; instances that are played write theirs but once.
AHEAD_MS = 150_000
PARKED = 2**53 - 1

numbers = itertools.count(1)


def now_ms() -> int:
    """As the documents have it."""
    return time.time_ns() // 1_000_000


def wait_for(condition: Callable[[], Any]) -> Any:
    """Polls until it is true."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError("the condition was not met in time")


class Instance:
    """Plays an instance of an application, as far as others see it."""

    def __init__(self, broker: cluster.Cluster, application: str, name: str, **more: Any) -> None:
        self.broker = broker
        self.id = f"{next(numbers):08x}-5e60-4e00-8000-{abs(hash(application)) % 16**12:012x}"
        self.presence_group = f"{application}.segue.presence.{self.id}"
        self.mark_group = f"{application}.segue.mark.{self.id}"
        self.document: dict[str, Any] = {
            "v": 1,
            "kind": "presence",
            "instance": self.id,
            "client_id": name,
            "host": f"host-of-{name}",
            "pid": 1000 + next(numbers),
            "assignor": "scale-down",
            "leaving_known": True,
            "segue": "1.0.0",
            "started_ms": now_ms() - 7_200_000,
            "at_ms": now_ms() + AHEAD_MS,
            "state": "running",
            "active": 3,
            "copies": 2,
            "copies_ready": 1,
            "copies_lag": 40,
        } | more
        self.say()

    def say(self, **more: Any) -> None:
        """Writes its presence anew."""
        self.document |= {"at_ms": now_ms() + AHEAD_MS} | more if "at_ms" not in more else more
        self.document = {key: value for key, value in self.document.items() if value is not None}
        text = json.dumps(self.document)
        self.broker.ask("put", group=self.presence_group, topic="orders", partition=1, metadata=text)

    def draining(self, tasks_left: int, **more: Any) -> None:
        """Says how many tasks are left of its drain."""
        mark = self.mark()
        assert mark is not None
        drain = {key: mark[key] for key in ("since_ms", "deadline_ms", "stay") if key in mark}
        self.say(**{"state": "draining", "active": tasks_left, "drain": drain | {"tasks_left": tasks_left}} | more)

    def entries(self) -> Any:
        """What stands in its mark's group."""
        return self.broker.ask("get", group=self.mark_group)["entries"]

    def mark(self) -> Any:
        """Its mark, or None."""
        texts = [entry["metadata"] for entry in self.entries() if entry["metadata"]]
        assert len(texts) <= 1
        return json.loads(texts[0]) if texts else None

    def leave(self) -> None:
        """Closes as an instance that was drained does."""
        self.broker.ask("delete", group=self.mark_group)
        self.close()

    def close(self) -> None:
        """Closes as one that was not marked does."""
        self.broker.ask("delete", group=self.presence_group)


class ClusterTest(unittest.TestCase):
    """One broker for all; each test has an application of its own."""

    broker: cluster.Cluster
    segue: pathlib.Path
    jars: pathlib.Path

    def setUp(self) -> None:
        self.application = f"shop-{next(numbers)}"

    def instance(self, name: str, **more: Any) -> Instance:
        return Instance(self.broker, self.application, name, **more)

    def command(self, word: str, *arguments: Any, server: str = "") -> list[Any]:
        server = server or self.broker.plain
        return [self.segue, word, "--bootstrap-server", server, "--application-id", self.application, *arguments]

    def run_segue(self, word: str, *arguments: Any, server: str = "") -> Any:
        return subprocess.run(
            self.command(word, *arguments, server=server),
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )

    def drain(self, *arguments: Any) -> Any:
        return self.run_segue("drain", *arguments)

    def waiting(self, *arguments: Any) -> contextlib.AbstractContextManager[Any]:
        """A drain that waits."""
        return self.running("drain", "--wait", *arguments)

    @contextlib.contextmanager
    def running(self, word: str, *arguments: Any) -> Iterator[Any]:
        """The program in the background; `ended` is set at the end."""
        command = self.command(word, *arguments)
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            try:
                yield process
                out, error = process.communicate(timeout=PATIENCE_S)
                self.ended = subprocess.CompletedProcess(command, process.returncode, out, error)
            finally:
                process.kill()

    def read_until(self, word: str, lines: IO[str]) -> None:
        """Reads on until a line has the word: on a busy machine there may be some of before."""
        read = []
        for line in lines:
            if word in line:
                return
            read.append(line)
        self.fail(f"{word!r} was never said: {read}")

    def properties(self, **settings: str) -> pathlib.Path:
        path = self.broker.folder / f"client-{next(numbers)}.properties"
        path.write_text("".join(f"{key.replace('_', '.')}={value}\n" for key, value in settings.items()))
        return path

    def login(
        self, user: str, word: str, mechanism: str = "PLAIN", module: str = cluster.PLAIN_MODULE
    ) -> dict[str, str]:
        """Properties of one who comes in by SASL over TLS."""
        pair = f'username="{cluster.escaped(word=user)}" password="{cluster.escaped(word)}"'.replace("\\", "\\\\")
        return {
            "security_protocol": "SASL_SSL",
            "sasl_mechanism": mechanism,
            "sasl_jaas_config": f"{module} required {pair};",
            "ssl_truststore_type": "PEM",
            "ssl_truststore_location": str(self.broker.authority),
        }

    def assert_java_takes(self, config: pathlib.Path) -> None:
        """Credentials are new to the brokers a little later than to who made them."""

        def taken() -> bool:
            with contextlib.suppress(RuntimeError):
                self.broker.ask("try", config=str(config), address=self.broker.secure)
                return True
            return False

        wait_for(taken)

    def secure_run(self, word: str, config: pathlib.Path, *arguments: Any) -> Any:
        return self.run_segue(word, "--command-config", config, *arguments, server=self.broker.secure)

    def assert_done(self, done: Any, *words: str) -> None:
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for word in words:
            self.assertIn(word, done.stdout)

    def assert_refused(self, done: Any, status: int, *words: str) -> None:
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertRegex(done.stderr, r"\A(segue: [^\n]+\n)+\Z")
        for word in words:
            self.assertIn(word, done.stderr)


def main() -> None:
    """Runs all tests of the file against one broker: SEGUE FOLDER_OF_KAFKA_JARS are the last two arguments."""
    ClusterTest.jars = pathlib.Path(sys.argv.pop())
    ClusterTest.segue = pathlib.Path(sys.argv.pop())
    reason = cluster.missing(ClusterTest.jars)
    if reason is not None:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    with (
        tempfile.TemporaryDirectory() as folder,
        cluster.Cluster(ClusterTest.jars, pathlib.Path(folder)) as ClusterTest.broker,
    ):
        ClusterTest.broker.ask("topic", topic="orders")
        unittest.main()
