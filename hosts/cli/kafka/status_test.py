#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `segue status` shows of a real cluster, beside the Java client that instances write with.

status_test.py SEGUE FOLDER_OF_KAFKA_JARS; ends with 77 where no broker can be started.
"""

import json
import pathlib
import sys
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "test"))

import fixture  # noqa: E402
from fixture import DAY_MS, ClusterTest, now_ms, wait_for  # noqa: E402


class Status(ClusterTest):
    """What is shown."""

    def test_the_table_says_who_is_there_and_who_leaves(self) -> None:
        leaver = self.instance("orders-2")
        self.instance("orders-1", assignor="balanced")
        self.instance("orders-0").say(at_ms=now_ms() - 2 * DAY_MS)
        self.assert_done(self.drain("orders-2", "--timeout", "10d"))
        leaver.draining(2)
        done = self.run_segue("status")
        self.assert_done(done, f"{self.application}: 2 instances, 1 leaving; the group is ")
        lines = done.stdout.splitlines()
        self.assertEqual(lines[1].split()[:3], ["INSTANCE", "PROCESS", "HOST"])
        self.assertRegex(lines[2], r"\Aorders-1 .* host-of-orders-1 .*2h .* balanced .* running .* 3 +1/2, lag 40\Z")
        self.assertRegex(lines[3], r"\Aorders-2 .* draining +2 ")
        self.assertRegex(
            done.stdout, r"orders-2 is leaving, for [\dms ]+, marked by segue drain; 2 tasks left; deadline in 9d 23h\n"
        )
        self.assertIn("orders-0 was last heard of 2d ago", done.stdout)

    def test_who_was_killed_is_silent_before_it_is_taken_for_gone(self) -> None:
        """A presence is written every minute; for three it counts."""
        self.instance("orders-1").say(at_ms=now_ms() - 20_000)
        self.instance("orders-2").say(at_ms=now_ms() - 100_000)
        lines = self.run_segue("status").stdout.splitlines()
        self.assertRegex(lines[2], r"\Aorders-1 .* running +3 ")
        self.assertRegex(lines[3], r"\Aorders-2 .* running, silent for [12]m( \d+s)? +3 ")

    def test_a_mark_that_was_left_stands_beside_who_runs(self) -> None:
        self.instance("orders-1")
        gone = self.instance("orders-2")
        self.assert_done(self.drain("orders-2"))
        self.broker.ask("put", group=gone.presence_group, topic="orders", partition=1, metadata="")
        done = self.run_segue("status")
        self.assert_done(done, "1 instance", "a mark is left")
        self.assertRegex(done.stdout.splitlines()[2], r"\Aorders-1 ")

    def led(self, **more: Any) -> dict[str, Any]:
        """What a leader says of a rebalance of twelve seconds ago."""
        return {
            "at_ms": now_ms() - 12_000,
            "assignor": "balanced",
            "plugin": "segue",
            "plugin_version": "1.0.0",
            "tasks": 8,
            "members": 3,
            "moves": 1,
            "min_moves": 4,
            "learners": 2,
        } | more

    def test_who_led_and_when_the_next_follow_up_is_due(self) -> None:
        old = self.led(at_ms=now_ms() - 90_000, assignor="sticky")
        self.instance("orders-1", assignor="balanced", led=old)
        leader = self.instance("orders-2", assignor="balanced", led=self.led())
        done = self.run_segue("status")
        self.assert_done(done, "\nno follow-up is due\n")
        self.assertRegex(
            done.stdout,
            r"\norders-2 led the last rebalance, [\dms ]+ ago, by balanced of segue 1\.0\.0: "
            r"8 tasks on 3 members, 1 move \(4 needed to balance\), 2 learners\n",
        )
        leader.say(led=self.led(followup="learners-restoring"))
        self.assert_done(self.run_segue("status"), "\na follow-up comes when a member asks for it: learners-restoring")
        leader.say(led=self.led(followup="capped", followup_ms=now_ms() + 5 * DAY_MS // 2))
        self.assert_done(self.run_segue("status"), "\nthe next follow-up is due in 2d 11h: capped\n")
        leader.say(led=self.led(followup="capped", followup_ms=now_ms() - DAY_MS))
        self.assert_done(self.run_segue("status"), "\nthe next follow-up was due 1d ago: capped\n")
        leader.say(led=self.led(fault="R4 task 0_1 has two owners"))
        self.assert_done(self.run_segue("status"), "\nthe fallback answered in its place: R4 task 0_1 has two owners\n")

    def test_the_document_says_who_led(self) -> None:
        leader = self.instance("orders-1", led=self.led(followup="capped", tasks="many", later=[1]))
        self.instance("orders-2", assignor="balanced", configured="sticky", swap_refused="eager")
        document = json.loads(self.run_segue("status", "--json").stdout)
        said = dict(leader.document["led"])
        del said["tasks"], said["later"]
        self.assertEqual(document["leader"], {"instance": leader.id, "client_id": "orders-1", "led": said})
        self.assertIsNone(document["swap"])
        first, second = document["instances"]
        self.assertEqual((first["configured"], first["swap_refused"]), ("scale-down", None))
        self.assertEqual((second["configured"], second["swap_refused"]), ("sticky", "eager"))
        leader.close()
        self.assertIsNone(json.loads(self.run_segue("status", "--json").stdout)["leader"])

    def test_what_is_asked_for_and_who_keeps_its_own(self) -> None:
        self.instance("orders-1", assignor="eager", configured="sticky", assignors=["eager"], led=self.led())
        self.instance("orders-2", assignor="sticky", swap_refused="eager")
        self.instance("orders-3", assignor="learner", swap_refused="something-of-before")
        self.assertEqual(self.run_segue("swap", "--assignor", "eager").returncode, 0)
        done = self.run_segue("status")
        self.assertRegex(
            done.stdout, r"\neager is asked for, for [\dms ]+, by segue swap; the last rebalance did not use it\n"
        )
        self.assert_done(
            done,
            " eager (configured: sticky) ",
            "\nnot all have it: orders-2 keeps sticky\n",
            "\nnot all are configured alike: orders-1 sticky, orders-3 learner\n",
        )
        wish = json.loads(self.run_segue("status", "--json").stdout)["swap"]
        self.assertEqual((wish["name"], wish["by"]), ("eager", "segue swap"))

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
                "assignor",
                "configured",
                "assignors",
                "swap_refused",
                "led",
            ):
                self.instance("odd", **{key: value})
            for key in self.led() | {"fault": "", "followup": "", "followup_ms": 0}:
                self.instance("odd", led=self.led(**{key: value}))
        steer = "\x1b[2J\n\u009b31m\u202e"
        led = dict.fromkeys(("assignor", "plugin", "plugin_version", "fault", "followup"), steer) | {"at_ms": 2**53}
        self.instance(steer, host="\u00e4" * 60, assignor=steer, configured=f"{steer}2", swap_refused=steer, led=led)
        wish = json.dumps({"v": 1, "kind": "assignor", "name": steer, "since_ms": 1, "by": steer})
        group = f"{self.application}.segue.assignor"
        self.broker.ask("put", group=group, topic="orders", partition=0, metadata=wish)
        for option in ([], ["--json"]):
            done = self.run_segue("status", *option)
            self.assert_done(done)
            for mark in ("\x1b", "\u009b", "\u202e"):
                self.assertNotIn(mark, done.stdout)

    def test_the_newest_of_several_entries_counts(self) -> None:
        one = self.instance("orders-1")
        old = one.document | {"client_id": "before", "at_ms": now_ms() - 5000}
        self.broker.ask("put", group=one.presence_group, topic="orders", partition=0, metadata=json.dumps(old))
        self.assert_done(self.run_segue("status"), "\norders-1 ")


if __name__ == "__main__":
    fixture.main()
