#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What simulate refuses, and what it takes though it is odd.

refusals_test.py SEGUE
"""

import copy
import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "test"))

from program import main, run
from scenarios import PAIR, pair, play


class BadInput(unittest.TestCase):
    """One line, with the place and what would be right."""

    def assert_refused(self, document, *words, status=1):
        text = document if isinstance(document, str) else json.dumps(document)
        done = run("simulate", "-", text=text)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"\Asegue: [^\n]+\n\Z")
        for word in words:
            self.assertIn(word, done.stderr)

    def test_documents(self):
        for change, words in (
            ({"segue": "group/1"}, ["segue: ", '"scenario/1" is needed']),
            ({"acts": []}, ["acts: unknown key"]),
            ({"group": None}, ["group: null is given; an object is needed"]),
            ({"group": {**PAIR["group"], "members": [{}]}}, ["group: members[0].id: missing"]),
            ({"cluster": {"open_ms": -1}}, ["cluster.open_ms", ">= 0"]),
            ({"cluster": {"open_ms": 1e17}}, ["cluster.open_ms"]),
            (
                {"cluster": {"restore_bytes_per_s": 0}},
                ["cluster.restore_bytes_per_s", "0 is given; a number from 1 to 1e+15"],
            ),
            ({"cluster": {"record_bytes": 1e308}}, ["cluster.record_bytes", "from 1 to 1e+09"]),
            ({"cluster": {"write_bytes_per_s": -1}}, ["-1 is given; 0 or a number from 1 to 1e+15 is needed"]),
            ({"cluster": {"write_bytes_per_s": 1e16}}, ["cluster.write_bytes_per_s", "from 1 to 1e+15"]),
            ({"cluster": {"trigger": "now"}}, ["cluster.trigger", '"probing"']),
            ({"cluster": {"static_members": 1}}, ["cluster.static_members", "true or false"]),
            ({"actions": {}}, ["actions: an object is given; a list is needed"]),
            ({"until_ms": "x"}, ["until_ms"]),
        ):
            with self.subTest(change=change):
                self.assert_refused({**PAIR, **change}, "standard input: ", *words)
        self.assert_refused("{", "standard input:1:")
        self.assert_refused("", "standard input:")

    def test_actions(self):
        for action, words in (
            ({"do": "stop", "member": "a"}, ["actions[0].do", "start, close"]),
            ({"do": "start"}, ["actions[0].member: missing"]),
            ({"do": "start", "member": "c"}, ["actions[0].member", 'no member "c"']),
            ({"do": "start", "member": "a", "members": ["b"]}, ["one of them is needed"]),
            ({"do": "start", "members": []}, ["actions[0].members: empty"]),
            ({"do": "restart", "member": "a"}, ["actions[0].away_ms: missing"]),
            ({"do": "restart", "member": "a", "away_ms": 1, "by": "fire"}, ["actions[0].by"]),
            ({"do": "disk", "member": "a"}, ["actions[0].restore_bytes_per_s: missing"]),
            ({"do": "disk", "member": "a", "restore_bytes_per_s": 0.5}, ["actions[0].restore_bytes_per_s", "from 1"]),
            ({"do": "kills", "every_ms": 1, "until_ms": 31622400000}, ["actions[0].every_ms: too short"]),
            ({"do": "kills", "every_ms": 0, "until_ms": 5}, ["actions[0].every_ms: 0 is given"]),
            ({"do": "kills", "until_ms": 5}, ["actions[0].every_ms: missing"]),
            ({"do": "kills", "every_ms": 1, "until_ms": 5, "at_ms": 5}, ["actions[0].until_ms: not behind at_ms"]),
            ({"do": "kills", "every_ms": 1, "until_ms": 5, "stagger_ms": 1}, ["actions[0].stagger_ms"]),
            (
                {"do": "restart", "member": "a", "away_ms": 1, "timeout_ms": 5},
                ["actions[0].timeout_ms", '"drain" alone'],
            ),
            (
                {"do": "restart", "member": "a", "away_ms": 1, "by": "drain", "lose_disk": True},
                ["actions[0].lose_disk", "keeps its disk"],
            ),
            (
                {"do": "flap", "member": "a", "every_ms": 9, "by": "crash", "timeout_ms": 5},
                ["actions[0].timeout_ms", '"drain" alone'],
            ),
            ({"do": "drain", "member": "a", "stagger_ms": 77}, ["actions[0].stagger_ms", '"members" is needed']),
            ({"do": "kills", "every_ms": 1}, ["actions[0].until_ms: missing"]),
            ({"do": "flap", "member": "a", "every_ms": 31622400000, "times": 1000000}, ["more than a year"]),
            ({"do": "flap", "member": "a", "every_ms": 1, "times": 0}, ["actions[0].times"]),
            ({"do": "flap", "member": "a", "every_ms": 0}, ["actions[0].every_ms: 0 is given"]),
            ({"do": "flap", "member": "a", "every_ms": 5, "up_ms": 6}, ["actions[0].up_ms: longer than every_ms"]),
            ({"do": "leave", "member": "a", "cooldown_ms": 1}, ['actions[0].cooldown_ms: "leave" takes no such key']),
            ({"do": "start", "member": "a", "lose_disk": True}, ['actions[0].lose_disk: "start" takes no such key']),
            ({"do": "kills", "until_ms": 5, "times": 1}, ['actions[0].times: "kills" takes no such key']),
            ({"do": "start", "members": ["a", "b"], "stagger_ms": 31622400000, "at_ms": 1}, ["more than a year"]),
        ):
            with self.subTest(action=action):
                self.assert_refused({**PAIR, "actions": [action]}, *words)

    def test_members_of_one_process_share_a_disk_which_is_not_simulated(self):
        document = copy.deepcopy(PAIR)
        document["group"]["members"] = [{"id": "a", "process": "p"}, {"id": "b", "process": "p"}]
        self.assert_refused(document, "group: two members name one process")

    def test_usage(self):
        for arguments, word in (
            ((), "a scenario is needed"),
            (("--preset", "scale-up"), "scale-out"),
            (("--preset", "swap", "-"), "one of them is needed"),
            (("--preset", "swap", "--size", "XXL"), "S, M, L or XL"),
            (("--preset", "swap", "--preset", "double"), "--preset is given twice"),
            (("--preset", "list", "--json"), "--json is of a run"),
            (("--preset", "swap", "--print", "--report", "/nowhere/x"), "--report is of a run"),
            (("--preset", "swap", "--print", "--events", "/nowhere/x"), "--events is of a run"),
            (("--preset", "swap", "--print", "--assignor", "balanced"), "--assignor is of a run"),
            (("--preset", "swap", "--print", "--seed", "1"), "--seed is of a run"),
            (("--preset", "swap", "--print", "--progress"), "--progress is of a run"),
            (("--preset", "list", "--tasks", "5"), "--tasks is of one preset"),
            (("--preset", "list", "--print"), "--print is of one preset"),
            (("--print", "-"), "--print is of presets alone"),
            (("--preset", "swap", "--report", "-"), "a file to write into is needed"),
            (
                ("--preset", "swap", "--events", "/nowhere/x", "--report", "/nowhere/x"),
                "--events and --report name this file",
            ),
        ):
            with self.subTest(arguments=arguments):
                done = run("simulate", *arguments)
                self.assertEqual(done.returncode, 2)
                self.assertIn(word, done.stderr)
        for option, value in (
            ("--size", "S"),
            ("--tasks", "1"),
            ("--members", "1"),
            ("--standbys", "0"),
            ("--state-mb", "0"),
            ("--restore-mb", "1"),
        ):
            for command in ("simulate", "compare"):
                with self.subTest(option=option, command=command):
                    done = run(command, option, value, "-", text=json.dumps(PAIR))
                    self.assertEqual(done.returncode, 2)
                    self.assertIn(f"{option} is of presets alone", done.stderr)
        for lists in (("--assignors", "learner,learner"), ("--modes", "eager,eager")):
            done = run("compare", "--preset", "swap", *lists)
            self.assertEqual(done.returncode, 2)
            self.assertIn("is asked for twice", done.stderr)
        self.assertEqual(run("simulate", "--preset", "swap", "--assignor", "x").returncode, 3)
        self.assertEqual(run("compare", "--preset", "swap", "--modes", "both").returncode, 2)
        self.assertEqual(run("simulate", "--preset", "swap", "--events", "/nowhere/x").returncode, 1)

    def test_plans_that_grow_while_somebody_is_away_keep_room_for_all_standbys(self):
        for members, standbys in ((3, 2), (4, 3), (3, 9)):
            size = ("--members", members, "--standbys", standbys, "--tasks", 6)
            with self.subTest(members=members, standbys=standbys), tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
                done = run("simulate", "--preset", "spot-kills", *size, "--events", file.name)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_begins_behind_the_end_never_happens(self):
        for action, key in (
            ({"do": "start", "member": "b", "at_ms": 90001}, "at_ms"),
            ({"do": "start", "members": ["a", "b"], "at_ms": 80000, "stagger_ms": 10001}, "stagger_ms"),
        ):
            with self.subTest(action=action):
                self.assert_refused({**PAIR, "actions": [action], "until_ms": 90000}, f"actions[0].{key}: behind")

    def test_a_group_is_no_scenario(self):
        self.assert_refused({**PAIR["group"]}, '"group/1" is given; "scenario/1" is needed')

    def test_a_name_steers_no_terminal(self):
        named = {**PAIR, "name": "one\x1b[31m\nmore"}
        for command in ("simulate", "compare"):
            with self.subTest(command=command):
                done = run(command, "-", text=json.dumps(named))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertRegex(done.stdout.splitlines()[0], r"\Aone[^\x1b]*more")
                self.assertNotIn("\x1b", done.stdout)

    def test_nobody_left_is_no_fault(self):
        figures, _ = play(pair([{"at_ms": 1000, "do": "crash", "members": ["a", "b"]}]))
        self.assertEqual((figures["rebalances"], figures["moves"], figures["failovers"]), (1, 0, 0))


if __name__ == "__main__":
    main()
