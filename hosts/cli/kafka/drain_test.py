#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `segue drain` and `segue status` do to a real cluster, beside the Java client that instances write with.

drain_test.py SEGUE FOLDER_OF_KAFKA_JARS; ends with 77 where no broker can be started.
"""

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
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "test"))

import cluster  # noqa: E402

SEGUE = pathlib.Path()
JARS = pathlib.Path()
SKIPPED = 77
PATIENCE_S = 60
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
        self.document = {
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
            "at_ms": now_ms(),
            "state": "running",
            "active": 3,
            "copies": 2,
            "copies_ready": 1,
            "copies_lag": 40,
        } | more
        self.say()

    def say(self, **more: Any) -> None:
        """Writes its presence anew."""
        self.document |= {"at_ms": now_ms()} | more if "at_ms" not in more else more
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
        self.broker.ask("delete", group=self.presence_group)


class ClusterTest(unittest.TestCase):
    """One broker for all; each test has an application of its own."""

    broker: cluster.Cluster

    def setUp(self) -> None:
        self.application = f"shop-{next(numbers)}"

    def instance(self, name: str, **more: Any) -> Instance:
        return Instance(self.broker, self.application, name, **more)

    def command(self, word: str, *arguments: Any, server: str = "") -> list[Any]:
        server = server or self.broker.plain
        return [SEGUE, word, "--bootstrap-server", server, "--application-id", self.application, *arguments]

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

    @contextlib.contextmanager
    def waiting(self, *arguments: Any) -> Iterator[Any]:
        """A drain that waits, in the background; `ended` is set at the end."""
        command = self.command("drain", "--wait", *arguments)
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            try:
                yield process
                out, error = process.communicate(timeout=PATIENCE_S)
                self.ended = subprocess.CompletedProcess(command, process.returncode, out, error)
            finally:
                process.kill()

    def properties(self, **settings: str) -> pathlib.Path:
        path = self.broker.folder / f"client-{next(numbers)}.properties"
        path.write_text("".join(f"{key.replace('_', '.')}={value}\n" for key, value in settings.items()))
        return path

    def assert_done(self, done: Any, *words: str) -> None:
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for word in words:
            self.assertIn(word, done.stdout)

    def assert_refused(self, done: Any, status: int, *words: str) -> None:
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertRegex(done.stderr, r"\A(segue: [^\n]+\n)+\Z")
        for word in words:
            self.assertIn(word, done.stderr)


class Marking(ClusterTest):
    """What is written."""

    def test_a_mark_stands_where_the_presence_stands(self) -> None:
        leaver = self.instance("orders-2")
        self.instance("orders-1")
        before = now_ms()
        self.assert_done(self.drain("orders-2"), "orders-2: marked as leaving, no deadline of its own")
        (entry,) = leaver.entries()
        self.assertEqual((entry["topic"], entry["partition"], entry["offset"]), ("orders", 1, PARKED))
        self.assertEqual(entry["epoch"], -1)
        mark = json.loads(entry["metadata"])
        self.assertTrue(before <= mark.pop("since_ms") <= now_ms())
        self.assertEqual(mark, {"v": 1, "kind": "leaving", "instance": leaver.id, "stay": False, "by": "segue drain"})

    def test_a_timeout_counts_from_now(self) -> None:
        leaver = self.instance("orders-2")
        self.instance("orders-1")
        self.assert_done(self.drain("orders-2", "--timeout", "10m", "--stay"), "deadline in 10m")
        mark = leaver.mark()
        self.assertEqual(mark["deadline_ms"], mark["since_ms"] + 600_000)
        self.assertTrue(mark["stay"])

    def test_marking_again_changes_nothing_but_the_deadline(self) -> None:
        leaver = self.instance("orders-2")
        self.instance("orders-1")
        self.assert_done(self.drain("orders-2"))
        first = leaver.mark()
        self.assert_done(self.drain("orders-2"), "orders-2: has been leaving for ")
        self.assertEqual(leaver.mark(), first)
        self.assert_done(self.drain("orders-2", "--timeout=1h"), "deadline in 1h")
        second = leaver.mark()
        self.assertEqual(second["since_ms"], first["since_ms"])
        self.assertGreater(second["deadline_ms"], now_ms() + 3_500_000)
        self.assert_done(self.drain("orders-2"))
        self.assertEqual(leaver.mark(), second)

    def test_a_cancelled_mark_leaves_nothing_behind(self) -> None:
        leaver = self.instance("orders-2")
        self.instance("orders-1")
        self.assert_done(self.drain("orders-2"))
        self.assert_done(self.drain("--cancel", "orders-2"), "no longer marked")
        self.assertEqual(leaver.entries(), [])
        self.assertNotIn(leaver.mark_group, self.broker.ask("groups")["groups"])
        self.assert_done(self.drain("--cancel", "orders-2"), "is not marked")

    def test_the_mark_of_one_that_is_gone_can_be_cancelled(self) -> None:
        leaver = self.instance("orders-2")
        self.instance("orders-1")
        self.assert_done(self.drain("orders-2"))
        self.broker.ask("delete", group=leaver.presence_group)
        self.assert_refused(self.drain(leaver.id), 4, "does not run")
        self.assert_done(self.drain("--cancel", leaver.id), "no longer marked")
        self.assertIsNone(leaver.mark())

    def test_it_is_said_when_nobody_stays(self) -> None:
        self.instance("orders-1")
        self.instance("orders-2")
        done = self.drain("orders-1", "orders-2", "orders-1")
        self.assertEqual(done.returncode, 0)
        self.assertIn("nobody stays", done.stderr)
        self.assertEqual(done.stdout.count("marked as leaving"), 2)


class Names(ClusterTest):
    """Who is meant."""

    def test_a_member_is_what_people_know(self) -> None:
        leaver = self.instance("orders-2", application_server="10.0.0.7:8080")
        self.instance("orders-1")
        pid = str(leaver.document["pid"])
        for name in ("orders-2", "10.0.0.7:8080", "host-of-orders-2", leaver.id, leaver.id[:8], pid):
            with self.subTest(name):
                self.assert_done(self.drain(name), "orders-2: ")
                self.assert_done(self.drain("--cancel", name), "orders-2: no longer")

    def test_an_ambiguous_name_is_refused_with_the_candidates(self) -> None:
        both = [self.instance(name, host="node-a") for name in ("orders-1", "orders-2")]
        self.assert_refused(self.drain("node-a"), 4, "several", *(one.id for one in both), "orders-1", "orders-2")
        self.assertEqual([one.mark() for one in both], [None, None])

    def test_an_unknown_name_lists_those_that_there_are(self) -> None:
        leaver = self.instance("orders-2")
        self.assert_refused(self.drain("orders-2", "orders-9"), 4, "orders-9: no such member", leaver.id)
        self.assertIsNone(leaver.mark())
        self.application = "no-such-application"
        self.assert_refused(self.drain("orders-2"), 4, "no-such-application.segue.")

    def test_one_that_is_silent_is_refused_unless_another_has_its_name(self) -> None:
        old = self.instance("orders-2", at_ms=now_ms() - 400_000)
        old.say(at_ms=now_ms() - 400_000)
        self.assert_refused(self.drain("orders-2"), 4, "last heard of 6m 40s ago")
        new = self.instance("orders-2")
        self.instance("orders-1")
        self.assert_done(self.drain("orders-2"))
        self.assertEqual((old.mark(), new.mark() is not None), (None, True))

    def test_an_assignor_that_heeds_no_marks_is_named(self) -> None:
        leaver = self.instance("orders-2", assignor="learner", leaving_known=False)
        self.assert_refused(self.drain("orders-2"), 4, "learner heeds no marks", "scale-down")
        self.assertIsNone(leaver.mark())


class Waiting(ClusterTest):
    """How a drain ends."""

    def test_drained(self) -> None:
        leaver = self.instance("orders-2")
        stayer = self.instance("orders-1")
        with self.waiting("orders-2", "--timeout", "10m") as process:
            self.assertIn("marked as leaving", process.stdout.readline())
            leaver.draining(2)
            self.assertRegex(
                process.stdout.readline(),
                r"\Aorders-2: 2 tasks left; elsewhere 1 of 2 copies are ready, 40 records to replay; deadline in 9m",
            )
            stayer.say(copies_ready=2, copies_lag=0)
            self.assertIn("2 of 2 copies are ready, 0 records", process.stdout.readline())
            leaver.draining(1)
            self.assertIn("1 task left", process.stdout.readline())
            leaver.draining(0, state="stopping")
            leaver.leave()
        self.assert_done(self.ended, "orders-2: drained, and has left the group")

    def test_drained_and_told_to_stay(self) -> None:
        leaver = self.instance("orders-2")
        self.instance("orders-1")
        with self.waiting("orders-2", "--stay"):
            wait_for(leaver.mark)
            leaver.draining(0, state="empty")
        self.assert_done(self.ended, "stays in the group without tasks")

    def test_several_at_once(self) -> None:
        leavers = [self.instance(f"orders-{i}") for i in range(5)]
        self.instance("payments")
        with self.waiting(*(f"orders-{i}" for i in range(5))):
            for leaver in leavers:
                wait_for(leaver.mark)
                leaver.draining(0)
                leaver.leave()
        self.assert_done(self.ended)
        self.assertEqual(self.ended.stdout.count("has left the group"), 5)

    def test_cancelled_by_somebody_else(self) -> None:
        leaver = self.instance("orders-2")
        self.instance("orders-1")
        with self.waiting("orders-2") as process:
            wait_for(leaver.mark)
            leaver.draining(3)
            process.stdout.readline()
            process.stdout.readline()
            self.assert_done(self.drain("--cancel", "orders-2"))
            leaver.say(state="running", active=3, drain=None)
        self.assert_refused(self.ended, 6, "orders-2: cancelled")

    def test_timed_out(self) -> None:
        leaver = self.instance("orders-2")
        self.instance("orders-1")
        with self.waiting("orders-2", "--timeout", "2s") as process:
            wait_for(leaver.mark)
            leaver.draining(3)
            process.stdout.readline()
            process.stdout.readline()
            wait_for(lambda: now_ms() > leaver.mark()["deadline_ms"] + 2000)
            leaver.draining(0)
            leaver.leave()
        self.assert_refused(self.ended, 5, "orders-2: timed out")

    def test_gone_before_it_was_empty(self) -> None:
        leaver = self.instance("orders-2")
        self.instance("orders-1")
        with self.waiting("orders-2"):
            wait_for(leaver.mark)
            leaver.draining(3)
            self.broker.ask("delete", group=leaver.presence_group)
        self.assert_refused(self.ended, 8, "orders-2: gone before it was empty")

    def test_killed_and_lost_to_the_group(self) -> None:
        leaver = self.instance("orders-2")
        self.instance("orders-1")
        thread = "orders-2-StreamThread-1-consumer"
        self.broker.ask("join", group=self.application, client=thread, topic="orders")
        wait_for(lambda: "1 member\n" in self.run_segue("status").stdout)
        with self.waiting("orders-2") as process:
            wait_for(leaver.mark)
            leaver.draining(3)
            process.stdout.readline()
            process.stdout.readline()
            self.broker.ask("leave", client=thread)
        self.assert_refused(self.ended, 8, "orders-2: gone before it was empty")

    def test_a_cancel_waits_until_it_is_heard(self) -> None:
        leaver = self.instance("orders-2")
        self.instance("orders-1")
        self.assert_done(self.drain("orders-2"))
        leaver.draining(3)
        with self.waiting("--cancel", "orders-2") as process:
            self.assertIn("no longer marked", process.stdout.readline())
            self.assertIsNone(process.poll())
            leaver.say(state="running", drain=None)
        self.assert_done(self.ended)

    def test_a_broker_that_is_away_ends_no_drain(self) -> None:
        leaver = self.instance("orders-2")
        self.instance("orders-1")
        quick = self.properties(default_api_timeout_ms="2000")
        with self.waiting("orders-2", "--timeout", "10m", "--command-config", quick) as process:
            wait_for(leaver.mark)
            leaver.draining(3)
            process.stdout.readline()
            process.stdout.readline()
            self.broker.ask("stop")
            self.assertIn("still waiting", process.stderr.readline())
            self.broker.ask("start")
            self.assertIn("answer again", process.stdout.readline())
            leaver.draining(0)
            leaver.leave()
        self.assertEqual(self.ended.returncode, 0, self.ended.stderr)
        self.assertIn("has left the group", self.ended.stdout)


class Clients(ClusterTest):
    """Connections that are not plain, or not there."""

    def secure(
        self, user: str, word: str, mechanism: str = "PLAIN", module: str = cluster.PLAIN_MODULE
    ) -> dict[str, str]:
        login = f'username="{cluster.escaped(word=user)}" password="{cluster.escaped(word)}"'.replace("\\", "\\\\")
        return {
            "security_protocol": "SASL_SSL",
            "sasl_mechanism": mechanism,
            "sasl_jaas_config": f"{module} required {login};",
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

    def test_a_client_with_sasl_over_tls_does_all_of_it(self) -> None:
        leaver = self.instance("orders-2")
        self.instance("orders-1")
        config = self.properties(**self.secure("admin", cluster.USERS["admin"]))
        self.assert_java_takes(config)
        self.assert_done(self.secure_run("drain", config, "orders-2"), "marked as leaving")
        self.assertIsNotNone(leaver.mark())
        self.assert_done(self.secure_run("status", config), "orders-2 is leaving")
        self.assert_done(self.secure_run("drain", config, "--cancel", "orders-2"))
        self.assertIsNone(leaver.mark())

    def test_a_login_with_scram_works_where_the_client_library_can(self) -> None:
        self.instance("orders-2")
        user, word = cluster.SCRAM_USER
        self.broker.ask("login", user=user, password=word)
        settings = self.secure(user, word, "SCRAM-SHA-512", cluster.SCRAM_MODULE)
        config = self.properties(**settings)
        self.assert_java_takes(config)
        done = self.secure_run("status", config)
        if done.returncode == 7:
            # Versions of the client library before 2.6.1 cannot, and that must not look like a wrong password.
            self.assert_refused(done, 7, "cannot log in by SCRAM at Kafka 4")
        else:
            self.assert_done(done, "\norders-2 ")

    def test_what_is_wrong_with_a_login_is_said_at_once(self) -> None:
        wrong = self.properties(**self.secure("admin", "secret-guess"))
        done = self.secure_run("status", wrong)
        self.assert_refused(done, 7, "Authentication failed")
        self.assertNotIn("secret-guess", done.stderr)
        untrusting = self.secure("admin", cluster.USERS["admin"])
        del untrusting["ssl_truststore_location"]
        self.assert_refused(self.secure_run("status", self.properties(**untrusting)), 7, "certificate")

    def test_a_missing_right_is_a_clear_message(self) -> None:
        self.instance("orders-2")
        config = self.properties(**self.secure("nobody", cluster.USERS["nobody"]))
        self.assert_refused(
            self.secure_run("drain", config, "orders-2"), 4, f"not see the groups that begin with {self.application}"
        )
        done = self.secure_run("status", config)
        self.assertEqual(done.returncode, 0)
        self.assertIn("not allowed", done.stderr)

    def test_a_setting_of_java_alone_is_a_warning(self) -> None:
        done = self.run_segue("status", "--command-config", self.properties(sasl_login_class="x"))
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"\Asegue: warning: .+: line 1: sasl\.login\.class .+\n\Z")

    def test_bad_properties_are_refused_without_their_secrets(self) -> None:
        secret = "secret-word"
        bad = [
            (
                {"sasl_jaas_config": f'a.PlainLoginModule required username="{secret}'},
                "line 1: sasl.jaas.config: a quote",
            ),
            ({"sasl_jaas_config": f'a.OtherLoginModule required password="{secret}";'}, "OtherLoginModule"),
            ({"sasl_jaas_config": f'a.ScramLoginModule required password="{secret}";'}, "username and password"),
            ({"ssl_truststore_location": "/a.jks", "ssl_truststore_password": secret}, "ssl.truststore.type=PEM"),
            ({"security_protocol": "SECRET"}, "security.protocol"),
            ({"x": "\\u12"}, "line 1: \\u needs four"),
            ({"security_protocol": "SSL", "ssl_ca_location": "/no/such.pem"}, "ssl.ca.location"),
        ]
        for settings, word in bad:
            with self.subTest(word):
                done = self.run_segue("status", "--command-config", self.properties(**settings))
                self.assert_refused(done, 1, word)
                self.assertNotIn(secret, done.stderr + done.stdout)
        self.assert_refused(self.run_segue("status", "--command-config", "/no/such"), 1, "No such file")

    def test_no_broker_is_a_clear_error_within_the_timeout(self) -> None:
        (port,) = cluster.free_ports(1)
        quick = self.properties(default_api_timeout_ms="1500")
        for word in (["status"], ["drain", "orders-2"]):
            done = self.run_segue(word[0], "--command-config", quick, *word[1:], server=f"127.0.0.1:{port}")
            self.assert_refused(done, 7, "no answer within 1s", "Connection refused", str(port))


class Status(ClusterTest):
    """What is shown."""

    def test_the_table_says_who_is_there_and_who_leaves(self) -> None:
        leaver = self.instance("orders-2")
        self.instance("orders-1", assignor="balanced")
        self.instance("orders-0").say(at_ms=now_ms() - 400_000)
        self.assert_done(self.drain("orders-2", "--timeout", "10m"))
        leaver.draining(2)
        done = self.run_segue("status")
        self.assert_done(done, f"{self.application}: 2 instances, 1 leaving; the group is ")
        lines = done.stdout.splitlines()
        self.assertEqual(lines[1].split()[:3], ["INSTANCE", "PROCESS", "HOST"])
        self.assertRegex(lines[2], r"\Aorders-1 .* host-of-orders-1 .*2h .* balanced .* running .* 3 +1/2, lag 40\Z")
        self.assertRegex(lines[3], r"\Aorders-2 .* draining +2 ")
        self.assertRegex(
            done.stdout, r"orders-2 is leaving, for \d+s, marked by segue drain; 2 tasks left; deadline in 9m \d+s\n"
        )
        self.assertIn("orders-0 was last heard of 6m 40s ago", done.stdout)

    def test_members_that_say_nothing_are_counted(self) -> None:
        self.instance("orders-1")
        for client in ("orders-1-StreamThread-1-consumer", "other"):
            self.broker.ask("join", group=self.application, client=client, topic="orders")
            self.addCleanup(self.broker.ask, "leave", client=client)
        done = wait_for(lambda: (it := self.run_segue("status")) and "Stable with 2 members" in it.stdout and it)
        self.assert_done(done, "\n1 of the members tell nothing of themselves")
        members = json.loads(self.run_segue("status", "--json").stdout)["group"]["members"]
        self.assertEqual(
            sorted((member["client_id"], member["known"]) for member in members),
            [("orders-1-StreamThread-1-consumer", True), ("other", False)],
        )

    def test_the_document_has_all_that_instances_said(self) -> None:
        leaver = self.instance("orders-2", of_a_later_version={"x": [1]})
        self.instance("orders-1")
        self.assert_done(self.drain("orders-2"))
        document = json.loads(self.run_segue("status", "--json").stdout)
        self.assertEqual((document["segue"], document["application"]), ("status/1", self.application))
        self.assertEqual(document["group"]["members"], [])
        first, second = document["instances"]
        self.assertEqual((first["leaving"], first["mark"], first["stale"]), (False, None, False))
        self.assertEqual((second["presence"], second["mark"]), (leaver.document, leaver.mark()))

    def test_what_is_no_document_counts_as_absent(self) -> None:
        good = self.instance("orders-1")
        texts = [
            "",
            "{",
            "[]",
            "null",
            "7",
            '"x"',
            "[" * 3000,
            '{"v":2}',
            '{"v":1,"kind":"presence"}',
            "\x00",
            "\u00e4" * 900,
        ]
        texts += [json.dumps(good.document | {"instance": other}) for other in (None, 7, good.id[:-1])]
        for text in texts:
            junk = self.instance("junk")
            self.broker.ask("put", group=junk.presence_group, topic="orders", partition=1, metadata=text)
            self.broker.ask("put", group=junk.mark_group, topic="orders", partition=0, metadata=text)
        self.broker.ask("put", group=good.mark_group, topic="orders", partition=0, metadata="}")
        self.broker.ask("put", group=f"{self.application}.segue.presence.x", topic="orders", partition=0, metadata="{}")
        self.assert_done(self.run_segue("status"), f"{self.application}: 1 instance, 0 leaving")
        self.assert_done(self.run_segue("status", "--json"))

    def test_strange_values_are_shown_and_crash_nothing(self) -> None:
        values: list[Any] = [-1, 2**63 - 1, -(2**63), 1.5, None, "x", [], {}, True, 2**53]
        for value in values:
            for key in (
                "pid",
                "started_ms",
                "active",
                "copies",
                "copies_ready",
                "copies_lag",
                "drain",
                "host",
                "state",
            ):
                self.instance("odd", **{key: value})
        self.instance("steer\x1b[2J\n", host="\u00e4" * 60)
        done = self.run_segue("status")
        self.assert_done(done)
        self.assertNotIn("\x1b", done.stdout)

    def test_the_newest_of_several_entries_counts(self) -> None:
        one = self.instance("orders-1")
        old = one.document | {"client_id": "before", "at_ms": now_ms() - 5000}
        self.broker.ask("put", group=one.presence_group, topic="orders", partition=0, metadata=json.dumps(old))
        self.assert_done(self.run_segue("status"), "\norders-1 ")


if __name__ == "__main__":
    JARS = pathlib.Path(sys.argv.pop())
    SEGUE = pathlib.Path(sys.argv.pop())
    reason = cluster.missing(JARS)
    if reason is not None:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as folder, cluster.Cluster(JARS, pathlib.Path(folder)) as ClusterTest.broker:
        ClusterTest.broker.ask("topic", topic="orders")
        unittest.main()
