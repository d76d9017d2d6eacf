#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The program beside real instances of Kafka Streams, behind SASL over TLS and with no more rights than documented.

application_test.py SEGUE FOLDER_OF_KAFKA_JARS; the demo's jar stands beside that folder. Ends with 77 where none is.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "test"))

import cluster  # noqa: E402
from fixture import PATIENCE_S, SKIPPED, ClusterTest, wait_for  # noqa: E402

TASKS = 4
INSTANCES = 3


class Application:
    """Runs until it is closed; what it told of itself is in `about`."""

    def __init__(self, jar: pathlib.Path, folder: pathlib.Path) -> None:
        self.log = (folder / "application.log").open("w+", encoding="utf-8")
        command = ["java", "-cp", str(jar), "io.segue.demo.SecuredApplication", str(folder / "data"), str(INSTANCES)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            self.log.seek(0)
            raise RuntimeError(f"the application did not start: {self.log.read()[-4000:]}")
        self.about = json.loads(line)

    def __enter__(self) -> "Application":
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        try:
            self.process.wait(PATIENCE_S)
        finally:
            self.process.kill()
        self.process.stdout.close()
        self.log.close()


class ApplicationTest(ClusterTest):
    """One application for all; each test leaves it with what is configured."""

    about: dict[str, Any]

    def setUp(self) -> None:
        self.application = self.about["application_id"]
        self.addCleanup(self.run_segue, "swap", "--configured", "--wait", "--timeout", "4m")

    def command(self, word: str, *arguments: Any, server: str = "") -> list[Any]:
        config = self.about["command_config"]
        return super().command(word, "--command-config", config, *arguments, server=server or self.about["secured"])

    def swap(self, *arguments: Any) -> Any:
        return self.run_segue("swap", *arguments, "--wait", "--timeout", "4m")

    def plan(self, *arguments: Any) -> Any:
        done = self.run_segue("plan", "--json", "--token-file", self.token_file(), *arguments)
        self.assert_done(done)
        return json.loads(done.stdout)

    def token_file(self) -> pathlib.Path:
        path = pathlib.Path(self.about["command_config"]).with_name("token")
        path.write_text(self.about["http_token"] + "\n", encoding="utf-8")
        return path

    def status(self) -> Any:
        done = self.run_segue("status", "--json")
        self.assert_done(done)
        return json.loads(done.stdout)

    def presences(self) -> list[Any]:
        return [row["presence"] for row in self.status()["instances"] if row["presence"] is not None]

    def leader(self) -> Any:
        """What the leader says of the last rebalance, once it says so."""
        return wait_for(lambda: self.status()["leader"])


class Told(ApplicationTest):
    """What real instances tell of themselves."""

    def test_who_led_by_what(self) -> None:
        led = self.leader()["led"]
        (plugin,) = json.loads(subprocess.check_output([self.segue, "list", "--json"]))["plugins"]
        self.assertEqual((led["assignor"], led["tasks"]), ("scale-down", TASKS))
        self.assertEqual((led["plugin"], led["plugin_version"]), (plugin["name"], plugin["version"]))
        self.assertNotIn("fault", led)
        text = self.run_segue("status")
        self.assert_done(
            text, " led the last rebalance, ", f" by scale-down of {plugin['name']} ", f": {TASKS} tasks on "
        )
        self.assertNotIn("not all", text.stdout)

    def test_what_nobody_has_is_refused_with_what_there_is(self) -> None:
        done = self.swap("--assignor", "balancd")
        self.assert_refused(done, 3, "did you mean balanced?", "balanced, eager, ", "scale-down")
        self.assertIsNone(self.status()["swap"])


class Drained(ApplicationTest):
    """Marks that real instances read."""

    def test_a_mark_that_is_taken_back_is_heard(self) -> None:
        # All of them, so that nobody goes empty before the marks are gone.
        names = [row["client_id"] for row in self.presences()]
        done = self.run_segue("drain", "--stay", *names)
        self.assertIn("nobody stays", done.stderr)
        wait_for(lambda: all("drain" in row for row in self.presences()))
        self.assert_done(self.run_segue("drain", "--cancel", "--wait", *names), "no longer marked as leaving")
        self.assertEqual([row["mark"] for row in self.status()["instances"]], [None] * len(names))
        wait_for(lambda: sum(row["active"] for row in self.presences()) == TASKS)


class Planned(ApplicationTest):
    """What would be, before anybody scales."""

    def test_the_leader_is_asked_over_http(self) -> None:
        said = self.settled_plan("--state-bytes", "1GiB", "--restore-rate", "64MiB")
        self.assertEqual((said["assignor"], said["rounds"]), ("scale-down", []))
        rows = {row["client_id"]: row["active"] for row in said["members"]}
        self.assertEqual(rows, {row["client_id"]: row["active"] for row in self.presences()})

    def settled_plan(self, *arguments: Any) -> Any:
        """Once a hand-over of before is over: only then is nothing left to be moved."""
        self.leader()
        return wait_for(lambda: not (it := self.plan(*arguments))["rounds"] and it["settled"] and it)

    def test_one_more_learns_its_share(self) -> None:
        self.settled_plan()
        free = max(0, TASKS // (len(self.presences()) + 1))
        said = self.plan("--add", "1", "--threads", "1")
        self.assertEqual(said["total"]["moves"], free)
        self.assertEqual((said["members"][-1]["id"], said["members"][-1]["active_then"]), ("new-1", free))

    def test_without_the_token_nothing_is_told(self) -> None:
        self.leader()
        done = self.run_segue("plan", "--json")
        self.assert_refused(done, 7, "status 401", "segue.http.token")


class Swapped(ApplicationTest):
    """An application that is asked for another assignor."""

    def test_the_leader_asks_for_the_rebalance_at_once(self) -> None:
        before = self.leader()["led"]["at_ms"]
        self.assert_done(self.swap("--assignor", "balanced"), " has led a rebalance by balanced")
        status = self.status()
        self.assertEqual(status["swap"]["name"], "balanced")
        self.assertEqual(status["leader"]["led"]["assignor"], "balanced")
        self.assertGreater(status["leader"]["led"]["at_ms"], before)
        wait_for(lambda: all(row["assignor"] == "balanced" for row in self.presences()))
        self.assertEqual({row["configured"] for row in self.presences()}, {"scale-down"})

    def test_it_goes_back_to_what_is_configured(self) -> None:
        self.assert_done(self.swap("--assignor", "learner"))
        self.assert_done(self.swap("--configured"), " has led a rebalance by scale-down")
        self.assertIsNone(self.status()["swap"])
        wait_for(lambda: all(row["assignor"] == "scale-down" for row in self.presences()))

    def test_the_next_leader_heeds_it_as_well(self) -> None:
        self.assert_done(self.swap("--assignor", "balanced"))
        first = self.leader()
        planned = self.plan("--remove", first["client_id"])
        self.assertEqual((planned["assignor"], planned["total"]["cold"]), ("balanced", 0))
        self.assert_done(
            self.run_segue("drain", first["client_id"], "--timeout", "5m", "--wait"), "drained, and has left the group"
        )
        second = wait_for(lambda: (it := self.leader())["instance"] != first["instance"] and it)
        self.assertEqual(second["led"]["assignor"], "balanced")
        wait_for(lambda: sum(row["active"] for row in self.presences()) == TASKS)
        then = {row["client_id"]: row["active_then"] for row in planned["members"] if row["active_then"]}
        wait_for(lambda: {row["client_id"]: row["active"] for row in self.presences()} == then)


def main() -> None:
    """Runs all tests beside one application."""
    jars = pathlib.Path(sys.argv.pop())
    ClusterTest.segue = pathlib.Path(sys.argv.pop())
    jar = jars.parent / "segue-demo.jar"
    reason = cluster.missing(jars) or (None if jar.exists() else f"no {jar}")
    if reason is not None:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as folder, Application(jar, pathlib.Path(folder)) as application:
        ApplicationTest.about = application.about
        unittest.main()


if __name__ == "__main__":
    main()
