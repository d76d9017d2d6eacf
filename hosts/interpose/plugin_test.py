#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The plugin that stands for another one: nobody notices it, but for what it is told to do.

plugin_test.py SEGUE INTERPOSE PLUGIN
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

SEGUE = INTERPOSE = PLUGIN = pathlib.Path()
GROUP = {
    "segue": "group/1",
    "subtopologies": [{"id": 0, "partitions": 4}],
    "members": [{"id": "a", "active": ["0_0", "0_1", "0_2", "0_3"]}, {"id": "b"}],
}


def run(*arguments: str | pathlib.Path, text: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SEGUE_")}
    environment |= {"SEGUE_INTERPOSE": str(PLUGIN.resolve())} | {
        f"SEGUE_{name}": value for name, value in variables.items()
    }
    return subprocess.run(
        [SEGUE, *arguments], input=text, capture_output=True, text=True, timeout=900, check=False, env=environment
    )


def assign(groups: int = 1, /, **variables: str) -> subprocess.CompletedProcess[str]:
    lines = f"{json.dumps(GROUP)}\n" * groups
    return run("assign", "--plugin", INTERPOSE, "--assignor", "learner", "--batch", text=lines, **variables)


def followups(done: subprocess.CompletedProcess[str]) -> list[str]:
    return [json.loads(line)["followup"]["reason"] for line in done.stdout.splitlines()]


class Interposer(unittest.TestCase):
    def test_it_holds_every_rule_that_the_other_plugin_holds(self) -> None:
        done = run("check", "--json", "--groups", "40", "--timeout", "300", INTERPOSE)
        broken = [rule for rule in json.loads(done.stdout)["rules"] if rule["outcome"] == "broken"]
        self.assertEqual((broken, done.returncode), ([], 0))

    def test_each_call_is_a_line_with_its_slot_result_and_time(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder, "calls.jsonl")
            self.assertEqual(assign(2, INTERPOSE_TRACE=str(trace)).returncode, 0)
            calls = [json.loads(line) for line in trace.read_text(encoding="utf-8").splitlines()]
        slots = [call["slot"] for call in calls]
        self.assertEqual(slots.count("assign"), 2)
        self.assertLess(slots.index("create"), slots.index("assign"))
        self.assertLess(slots.index("assign"), slots.index("destroy"))
        plans = [call for call in calls if call["slot"] == "assign"]
        self.assertEqual(
            [(call["call"], call["result"], len(call["arguments"])) for call in plans], [(1, 0, 5), (2, 0, 5)]
        )
        self.assertTrue(all(call["ns"] > 0 for call in calls))

    def test_faults_come_at_the_calls_that_are_named(self) -> None:
        done = assign(4, INTERPOSE_FAULTS="assign#2=internal,assign#3=bad-plan,assign#4=delay:1")
        self.assertEqual(
            followups(done), ["learners-restoring", "fallback", "fallback", "learners-restoring"], done.stderr
        )

    def test_a_crash_ends_the_process_that_asks(self) -> None:
        self.assertEqual(assign(INTERPOSE_FAULTS="assign=crash").returncode, -signal.SIGABRT)

    def test_a_wrong_fault_and_a_missing_plugin_are_said_and_refused(self) -> None:
        for variables, words in (
            ({"INTERPOSE_FAULTS": "assign=nonsense"}, '"assign=nonsense" is no fault'),
            ({"INTERPOSE": ""}, "SEGUE_INTERPOSE has to name the plugin"),
            ({"INTERPOSE": "/no/such/file.so"}, "/no/such/file.so"),
            ({"INTERPOSE_TRACE": "/no/such/folder/file"}, "cannot be written to"),
        ):
            done = assign(**variables)
            self.assertEqual((done.returncode, done.stdout), (3, ""), done.stderr)
            self.assertIn(words, done.stderr)
            self.assertIn("segue: ", done.stderr)


if __name__ == "__main__":
    PLUGIN, INTERPOSE, SEGUE = (pathlib.Path(sys.argv.pop()) for _ in range(3))
    unittest.main()
