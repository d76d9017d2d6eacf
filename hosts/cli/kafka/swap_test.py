#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `segue swap` does to a real cluster, beside the Java client that instances write with.

swap_test.py SEGUE FOLDER_OF_KAFKA_JARS; ends with 77 where no broker can be started.
"""

import json
import pathlib
import sys
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "test"))

import cluster  # noqa: E402
import fixture  # noqa: E402
from fixture import DAY_MS, PARKED, ClusterTest, Instance, now_ms, wait_for  # noqa: E402

ALL = ["balanced", "eager", "learner", "scale-down", "sticky"]


class SwapTest(ClusterTest):
    """An application whose instances can be asked for another assignor."""

    def instance(self, name: str, **more: Any) -> Instance:
        return super().instance(name, **{"assignor": "sticky", "leaving_known": False, "assignors": ALL} | more)

    def swap(self, *arguments: Any) -> Any:
        return self.run_segue("swap", *arguments)

    @property
    def group(self) -> str:
        return f"{self.application}.segue.assignor"

    def entries(self) -> Any:
        return self.broker.ask("get", group=self.group)["entries"]

    def wish(self) -> Any:
        """The document that says what is asked for, or None."""
        texts = [entry["metadata"] for entry in self.entries() if entry["metadata"]]
        assert len(texts) <= 1
        return json.loads(texts[0]) if texts else None

    def put_wish(self, text: str, partition: int = 1) -> None:
        self.broker.ask("put", group=self.group, topic="orders", partition=partition, metadata=text)

    @staticmethod
    def led(assignor: str, **more: Any) -> dict[str, Any]:
        """What a leader says of the rebalance that it led just now."""
        return {
            "at_ms": now_ms(),
            "assignor": assignor,
            "plugin": "segue",
            "plugin_version": "1.0.0",
            "tasks": 8,
            "members": 3,
            "moves": 2,
            "min_moves": 4,
            "learners": 1,
        } | more


class Asking(SwapTest):
    """What is written."""

    def test_the_wish_stands_where_a_presence_stands(self) -> None:
        self.instance("orders-1")
        before = now_ms()
        self.assert_done(self.swap("--assignor", "balanced"), "balanced is asked for: the next rebalance uses it")
        (entry,) = self.entries()
        self.assertEqual((entry["topic"], entry["partition"], entry["offset"]), ("orders", 1, PARKED))
        self.assertEqual(entry["epoch"], -1)
        wish = json.loads(entry["metadata"])
        self.assertTrue(before <= wish.pop("since_ms") <= now_ms())
        self.assertEqual(wish, {"v": 1, "kind": "assignor", "name": "balanced", "by": "segue swap"})

    def test_asking_again_changes_nothing(self) -> None:
        self.instance("orders-1")
        self.assert_done(self.swap("--assignor", "balanced"))
        first = self.wish()
        self.assert_done(self.swap("--assignor", "balanced"), "balanced was asked for ", " ago already\n")
        self.assertEqual(self.wish(), first)

    def test_another_wish_takes_the_place_of_the_first(self) -> None:
        self.instance("orders-1")
        ahead = now_ms() + 3_600_000
        self.put_wish(json.dumps({"v": 1, "kind": "assignor", "name": "eager", "since_ms": ahead}), partition=0)
        self.assert_done(self.swap("--assignor", "balanced"))
        (entry,) = self.entries()
        self.assertEqual((entry["partition"], self.wish()["name"]), (0, "balanced"))
        self.assertGreater(self.wish()["since_ms"], ahead)

    def test_the_newest_of_several_wishes_counts(self) -> None:
        self.instance("orders-1")
        for partition, name, since_ms in ((0, "eager", 7), (1, "learner", 6)):
            self.put_wish(json.dumps({"v": 1, "kind": "assignor", "name": name, "since_ms": since_ms}), partition)
        self.assert_done(self.swap("--configured"), "eager is no longer asked for")
        self.assertEqual(self.entries(), [])

    def test_going_back_leaves_nothing_behind(self) -> None:
        self.instance("orders-1")
        self.assert_done(self.swap("--assignor", "balanced"))
        self.assert_done(self.swap("--configured"), "balanced is no longer asked for")
        self.assertEqual(self.entries(), [])
        self.assertNotIn(self.group, self.broker.ask("groups")["groups"])
        self.assert_done(self.swap("--configured"), "no assignor is asked for")

    def test_what_is_asked_of_nobody_can_be_taken_away(self) -> None:
        one = self.instance("orders-1")
        self.assert_done(self.swap("--assignor", "balanced"))
        one.close()
        self.assert_refused(self.swap("--assignor", "learner"), 4, "tells of itself")
        self.assert_done(self.swap("--configured", "--wait"), "balanced is no longer asked for")
        self.assertIsNone(self.wish())
        self.assert_refused(self.swap("--configured"), 4, f"begin with {self.application}.segue.")

    def test_a_wish_that_is_no_document_counts_as_none(self) -> None:
        self.instance("orders-1")
        for text in ("{", "[]", '{"v":2,"kind":"assignor","name":"eager","since_ms":1}', '{"v":1,"kind":"assignor"}'):
            with self.subTest(text):
                self.put_wish(text)
                self.assert_done(self.swap("--configured"), "no assignor is asked for")
                self.assert_done(self.swap("--assignor", "balanced"), "balanced is asked for")
                self.assert_done(self.swap("--configured"))


class Offers(SwapTest):
    """Who has what is asked for."""

    def test_what_nobody_has_is_refused_with_what_there_is(self) -> None:
        self.instance("orders-1", assignors=["sticky", "learner"])
        self.instance("orders-2", assignors=["sticky", "balanced"])
        done = self.swap("--assignor", "balance")
        self.assert_refused(done, 3, "did you mean balanced?", "there are: balanced, learner, sticky\n")
        self.assert_refused(self.swap("--assignor", "quite-another"), 3, "has such an assignor; there are: balanced")
        self.assertIsNone(self.wish())

    def test_who_keeps_its_own_is_named(self) -> None:
        self.instance("orders-1")
        self.instance("orders-2", assignors=["sticky", "learner"], assignor="learner")
        self.instance("orders-3", assignors=None)
        done = self.swap("--assignor", "balanced")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(
            done.stderr,
            "segue: warning: not all have balanced: where one of them leads, orders-2 keeps learner, "
            "orders-3 keeps sticky\n",
        )
        self.assertEqual(self.wish()["name"], "balanced")

    def test_one_that_is_silent_offers_nothing(self) -> None:
        self.instance("orders-1", assignors=["sticky"])
        self.instance("orders-2").say(at_ms=now_ms() - 2 * DAY_MS)
        self.assert_refused(self.swap("--assignor", "balanced"), 3, "there are: sticky\n")

    def test_strange_offers_crash_nothing(self) -> None:
        for value in (-1, None, "balanced", {}, {"balanced": 1}, [[["balanced"]]], [7, None], ["\x1b[2J", "x" * 600]):
            self.instance("odd", assignors=value, assignor=value, configured=value, led=value, swap_refused=value)
        done = self.swap("--assignor", "learner")
        self.assert_refused(done, 3, "there are: ")
        self.assertNotIn("\x1b", done.stderr)
        self.assert_done(self.run_segue("status"))


class Waiting(SwapTest):
    """How a swap is confirmed."""

    def waiting(self, *arguments: Any) -> Any:
        return self.running("swap", "--wait", *arguments)

    def test_done(self) -> None:
        leader = self.instance("orders-1", led=self.led("sticky"))
        with self.waiting("--assignor", "balanced") as process:
            self.assertIn("balanced is asked for", process.stdout.readline())
            leader.say(assignor="balanced", configured="sticky")
            leader.say(led=self.led("balanced"))
        self.assert_done(self.ended, "orders-1 has led a rebalance by balanced: 2 tasks moved\n")

    def test_the_last_rebalance_before_does_not_count(self) -> None:
        leader = self.instance("orders-1", led=self.led("sticky"))
        other = self.instance("orders-2")
        with self.waiting("--assignor", "sticky") as process:
            self.assertIn("sticky is asked for", process.stdout.readline())
            self.assertIsNone(process.poll())
            leader.say(led=None)
            other.say(led=self.led("sticky", moves=1))
        self.assert_done(self.ended, "orders-2 has led a rebalance by sticky: 1 task moved\n")

    def test_what_has_run_already_is_done(self) -> None:
        self.instance("orders-1", led=self.led("balanced"))
        self.assert_done(self.swap("--assignor", "balanced"))
        self.assert_done(self.swap("--assignor", "balanced", "--wait"), "orders-1 has led a rebalance by balanced")

    def test_back_to_what_is_configured(self) -> None:
        leader = self.instance("orders-1", assignor="balanced", configured="learner", led=self.led("balanced"))
        self.assert_done(self.swap("--assignor", "balanced"))
        with self.waiting("--configured") as process:
            self.assertIn("no longer asked for", process.stdout.readline())
            leader.say(assignor="learner", configured=None, led=self.led("learner"))
        self.assert_done(self.ended, "orders-1 has led a rebalance by learner")

    def test_a_leader_that_does_not_have_it_is_named(self) -> None:
        leader = self.instance("orders-1", assignors=["sticky"], led=self.led("sticky"))
        other = self.instance("orders-2")
        with self.waiting("--assignor", "balanced") as process:
            self.assertIn("not all have balanced", process.stderr.readline())
            leader.say(swap_refused="balanced", led=self.led("sticky"))
            self.assertIn("orders-1 leads, does not have balanced and keeps sticky", process.stderr.readline())
            other.say(led=self.led("balanced"))
        self.assertEqual(self.ended.returncode, 0)
        self.assertIn("orders-2 has led a rebalance by balanced", self.ended.stdout)

    def test_timed_out(self) -> None:
        self.instance("orders-1", led=self.led("sticky"))
        done = self.swap("--assignor", "balanced", "--wait", "--timeout", "1s")
        self.assert_refused(done, 5, "no rebalance has used balanced within 1s; the next one does")
        self.assertEqual(self.wish()["name"], "balanced")

    def test_another_wish_is_a_cancel(self) -> None:
        self.instance("orders-1", led=self.led("sticky"))
        with self.waiting("--assignor", "balanced") as process:
            process.stdout.readline()
            self.assert_done(self.swap("--assignor", "learner"))
        self.assert_refused(self.ended, 6, "cancelled: learner is asked for by now, by segue swap")
        with self.waiting("--assignor", "balanced") as process:
            process.stdout.readline()
            self.assert_done(self.swap("--configured"))
        self.assert_refused(self.ended, 6, "cancelled: the swap was taken back")

    def test_a_fallback_is_told_of(self) -> None:
        leader = self.instance("orders-1")
        with self.waiting("--assignor", "balanced"):
            wait_for(self.wish)
            leader.say(led=self.led("balanced", fault="R4 task 0_1 has two owners"))
        self.assertEqual(self.ended.returncode, 0)
        self.assertIn("the fallback answered: R4 task 0_1 has two owners", self.ended.stderr)

    def test_a_broker_that_is_away_ends_no_waiting(self) -> None:
        leader = self.instance("orders-1")
        quick = self.properties(default_api_timeout_ms="15000")
        with self.waiting("--assignor", "balanced", "--timeout", "5m", "--command-config", quick) as process:
            self.assertIn("is asked for", process.stdout.readline())
            self.broker.ask("stop")
            try:
                self.read_until("still waiting", process.stderr)
            finally:
                self.broker.ask("start")
            self.read_until("answer again", process.stdout)
            leader.say(led=self.led("balanced"))
        self.assertEqual(self.ended.returncode, 0, self.ended.stderr)


class Secured(SwapTest):
    """Behind SASL over TLS."""

    def test_a_client_with_sasl_over_tls_swaps(self) -> None:
        leader = self.instance("orders-1")
        config = self.properties(**self.login("admin", cluster.USERS["admin"]))
        self.assert_java_takes(config)
        leader.say(led=self.led("balanced"))
        self.assert_done(self.secure_run("swap", config, "--assignor", "balanced"), "balanced is asked for")
        self.assert_done(self.secure_run("swap", config, "--assignor", "balanced", "--wait"), "orders-1 has led")
        self.assert_done(self.secure_run("status", config), "balanced is asked for, for ")
        self.assert_done(self.secure_run("swap", config, "--configured"))
        self.assertIsNone(self.wish())

    def test_a_missing_right_is_a_clear_message(self) -> None:
        self.instance("orders-1")
        config = self.properties(**self.login("nobody", cluster.USERS["nobody"]))
        self.assert_refused(self.secure_run("swap", config, "--assignor", "balanced"), 4, "may not see the groups")


if __name__ == "__main__":
    fixture.main()
