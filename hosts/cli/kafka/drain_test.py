#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `segue drain` does to a real cluster, beside the Java client that instances write with.

drain_test.py SEGUE FOLDER_OF_KAFKA_JARS; ends with 77 where no broker can be started.
"""

import json
import pathlib
import socket
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "test"))

import cluster  # noqa: E402
import fixture  # noqa: E402
from fixture import DAY_MS, PARKED, ClusterTest, now_ms, wait_for  # noqa: E402


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
        old = self.instance("orders-2", at_ms=now_ms() - 2 * DAY_MS)
        old.say(at_ms=now_ms() - 2 * DAY_MS)
        self.assert_refused(self.drain("orders-2"), 4, "last heard of 2d ago")
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
                r"\Aorders-2: 2 tasks left; elsewhere 1 of 2 copies are ready, 40 records to replay; deadline in \d+m",
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
        quick = self.properties(default_api_timeout_ms="15000")
        with self.waiting("orders-2", "--timeout", "10m", "--command-config", quick) as process:
            wait_for(leaver.mark)
            leaver.draining(3)
            process.stdout.readline()
            process.stdout.readline()
            self.broker.ask("stop")
            self.read_until("still waiting", process.stderr)
            self.broker.ask("start")
            self.read_until("answer again", process.stdout)
            leaver.draining(0)
            leaver.leave()
        self.assertEqual(self.ended.returncode, 0, self.ended.stderr)
        self.assertIn("has left the group", self.ended.stdout)


class Clients(ClusterTest):
    """Connections that are not plain, or not there."""

    def test_a_client_with_sasl_over_tls_does_all_of_it(self) -> None:
        leaver = self.instance("orders-2")
        self.instance("orders-1")
        config = self.properties(**self.login("admin", cluster.USERS["admin"]))
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
        settings = self.login(user, word, "SCRAM-SHA-512", cluster.SCRAM_MODULE)
        config = self.properties(**settings)
        self.assert_java_takes(config)
        done = self.secure_run("status", config)
        if done.returncode == 7:
            # Versions of the client library before 2.6.1 cannot, and that must not look like a wrong password.
            self.assert_refused(done, 7, "cannot log in by SCRAM at Kafka 4")
        else:
            self.assert_done(done, "\norders-2 ")

    def test_what_is_wrong_with_a_login_is_said_at_once(self) -> None:
        wrong = self.properties(**self.login("admin", "secret-guess"))
        done = self.secure_run("status", wrong)
        self.assert_refused(done, 7, "Authentication failed")
        self.assertNotIn("secret-guess", done.stderr)
        untrusting = self.login("admin", cluster.USERS["admin"])
        del untrusting["ssl_truststore_location"]
        self.assert_refused(self.secure_run("status", self.properties(**untrusting)), 7, "certificate")

    def test_a_missing_right_is_a_clear_message(self) -> None:
        self.instance("orders-2")
        config = self.properties(**self.login("nobody", cluster.USERS["nobody"]))
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
        quick = self.properties(default_api_timeout_ms="5500")
        # Bound and not listened on: nobody answers there, nor can anybody come to.
        with socket.socket() as nobody:
            nobody.bind(("127.0.0.1", 0))
            server = f"127.0.0.1:{nobody.getsockname()[1]}"
            for word in (["status"], ["drain", "orders-2"]):
                done = self.run_segue(word[0], "--command-config", quick, *word[1:], server=server)
                self.assert_refused(done, 7, f"no broker at {server}: connection refused (tried for 5s)")


if __name__ == "__main__":
    fixture.main()
