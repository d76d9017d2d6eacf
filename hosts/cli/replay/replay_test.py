#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records what every situation of tests/cases is answered, and asks again.

replay_test.py SEGUE
"""

import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "test"))

from program import main, run, segue

ROOT = pathlib.Path(__file__).resolve().parents[3]
CASES = sorted((ROOT / "tests/cases").glob("*.json"))
GROUP = {
    "segue": "group/1",
    "subtopologies": [{"id": 0, "partitions": 4}],
    "members": [{"id": "a", "active": ["0_0", "0_1", "0_2", "0_3"]}, {"id": "b"}],
}


def without_times(plan):
    return {**plan, "stats": {key: value for key, value in plan["stats"].items() if key != "elapsed_us"}}


class Replay(unittest.TestCase):
    """A record in a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.record = pathlib.Path(folder.name, "plans.rec")

    def record_groups(self, groups, assignor="balanced"):
        text = "".join(json.dumps(group) + "\n" for group in groups)
        done = run("assign", "--batch", "--assignor", assignor, "-", text=text, SEGUE_RECORD_PATH=str(self.record))
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def steps(self, *options):
        done = run("replay", "--json", *options, self.record)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_every_situation_is_answered_again_as_it_was(self):
        groups = [json.loads(path.read_text())["group"] for path in CASES]
        self.assertGreater(len(groups), 80)
        plans = self.record_groups(groups)
        steps = self.steps()
        self.assertEqual([step["step"] for step in steps], list(range(1, len(groups) + 1)))
        self.assertEqual([step["moves"] for step in steps], [plan["stats"]["moves"] for plan in plans])
        self.assertTrue(all(step["same"] for step in steps), [step for step in steps if not step["same"]])

    def test_steps_of_an_assignor_that_is_not_here_are_named_and_the_others_asked(self):
        for assignor in ("learner", "sticky", "balanced"):
            self.record_groups([GROUP], assignor)
        self.record.write_bytes(self.record.read_bytes().replace(b"sticky", b"stocky"))
        page = self.record.with_name("page.html")
        for options in ([], ["--report", page]):
            done = run("replay", "--json", *options, self.record)
            self.assertEqual(done.returncode, 3)
            self.assertEqual([json.loads(line)["step"] for line in done.stdout.splitlines()], [1, 3])
            self.assertIn(f"{self.record}: step 2: no assignor stocky", done.stderr)
        self.assertTrue(page.exists())
        self.assertEqual(run("replay", "--assignor", "stocky", self.record).stdout, "")

    def test_a_step_is_a_group_document_that_is_answered_alike(self):
        groups = [json.loads(path.read_text())["group"] for path in CASES]
        for number, plan in enumerate(self.record_groups(groups), 1):
            document = run("replay", "--step", str(number), "--group", self.record).stdout
            again = json.loads(run("assign", "--assignor", "balanced", "-", text=document).stdout)
            plan["members"].sort(key=lambda member: member["id"].encode())
            with self.subTest(case=CASES[number - 1].name):
                self.assertEqual(without_times(again), without_times(plan))

    def test_a_name_that_no_document_can_have_is_asked_again_and_not_told(self):
        group = {"segue": "group/1", "tasks": [{"id": "0_0"}], "members": [{"id": "north", "active": ["0_0"]}]}
        self.record_groups([group])
        self.record.write_bytes(self.record.read_bytes().replace(b"north", b"no\0th"))
        self.assertTrue(self.steps()[0]["same"])
        for told in (("--step", "1", "--group"), ("--report", self.record.with_suffix(".html"))):
            with self.subTest(told[0]):
                done = run("replay", *told, self.record)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertIn("step 1: a name in this frame has a byte of zero, which no document could", done.stderr)

    def test_another_assignor_is_compared_with_what_was_answered(self):
        self.record_groups([GROUP], "learner")
        self.assertEqual(self.steps("--assignor", "sticky")[0]["active_differ"], 2)
        done = run("replay", "--assignor", "sticky", self.record)
        self.assertIn("sticky differs in 2 owners, 2 learners, the standbys of 0 tasks\n", done.stdout)
        self.assertIn("active a, now b; learner b, now nobody\n", done.stdout)

    def test_the_record_is_for_its_owner_alone(self):
        self.record_groups([GROUP])
        self.assertEqual(self.record.stat().st_mode & 0o777, 0o600)

    def test_writers_share_a_file(self):
        writers = [threading.Thread(target=self.record_groups, args=([GROUP] * 20,)) for _ in range(6)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        steps = self.steps()
        self.assertEqual(len(steps), 120)
        self.assertTrue(all(step["same"] for step in steps))

    def test_a_frame_that_is_broken_is_named_with_its_place(self):
        self.record_groups([GROUP] * 2)
        whole = self.record.read_bytes()
        size = len(whole) // 2
        for broken, words in (
            (whole[: size + 20], f"step 2: byte {size}: the file ends within a frame"),
            (whole[:-8], f"step 2: byte {size}: the file ends within a frame"),
            (whole[:size] + b"x" + whole[size + 1 :], f"step 2: byte {size}: no frame of a record begins here"),
            (whole[:8] + struct.pack("<I", 2) + whole[12:], "step 1: byte 0: a frame of another version"),
            (whole[:48] + struct.pack("<Q", 2**40) + whole[56:], "step 1: byte 0: the sizes"),
            (whole[:80] + b"\0" * 64 + whole[144:], "step 1: byte 0: the group of this frame is not whole"),
            (b"{}", "step 1: byte 0: the file ends within a frame"),
        ):
            with self.subTest(words=words):
                self.record.write_bytes(broken)
                done = run("replay", self.record)
                self.assertEqual(done.returncode, 1)
                self.assertRegex(done.stderr, r"\Asegue: [^\n]+\n\Z")
                self.assertIn(words, done.stderr)

    def test_no_byte_of_a_record_brings_the_program_down(self):
        self.record_groups([GROUP])
        whole = bytearray(self.record.read_bytes())
        for at in range(0, len(whole), 7):
            self.record.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
            done = run("replay", self.record, "--report", self.record.with_suffix(".html"))
            self.assertIn(done.returncode, (0, 1, 3), f"byte {at}")

    def test_a_handle_of_nobody_is_told_or_refused(self):
        """It has all bits set: in the place of any number of a plan with standbys, learners and decisions."""
        self.record_groups([{**GROUP, "config": {"num.standby.replicas": 1}}], "learner")
        whole = self.record.read_bytes()
        refused = 0
        for at in range(whole.index(b"SPLN"), len(whole), 4):
            self.record.write_bytes(whole[:at] + b"\xff" * 4 + whole[at + 4 :])
            done = run("replay", self.record, "--report", self.record.with_suffix(".html"))
            self.assertIn(done.returncode, (0, 1, 3), f"byte {at}")
            refused += "the plan of this frame is not whole" in done.stderr
        self.assertGreater(refused, 20)

    def test_a_path_that_cannot_be_opened_is_told_at_the_start(self):
        done = run("assign", "--assignor", "learner", "-", text=json.dumps(GROUP), SEGUE_RECORD_PATH="/nowhere/x")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("/nowhere/x, the file to record plans in, cannot be opened", done.stderr)

    def test_a_record_is_a_regular_file(self):
        os.mkfifo(self.record)
        for path in (self.record, self.record.parent, "/dev/null"):
            done = run("assign", "--assignor", "learner", "-", text=json.dumps(GROUP), SEGUE_RECORD_PATH=str(path))
            self.assertEqual(done.returncode, 1, path)
            self.assertIn("cannot be opened", done.stderr)

    def test_a_file_that_is_no_record_is_not_written_to(self):
        for begin in ("{}", "SEGUEREX", json.dumps(GROUP)):
            with self.subTest(begin=begin):
                self.record.write_text(begin)
                done = run("assign", "--assignor", "learner", self.record, SEGUE_RECORD_PATH=str(self.record))
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertIn("is no record", done.stderr)
                self.assertEqual(self.record.read_text(), begin)

    def test_a_record_comes_from_standard_input_as_well(self):
        self.record_groups([GROUP])
        with self.record.open("rb") as file:
            done = subprocess.run([segue(), "replay", "-"], stdin=file, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, run("replay", self.record).stdout))

    def test_where_nothing_is_recorded_that_is_said(self):
        self.record.write_bytes(b"")
        for options in ((), ("--report", self.record.with_suffix(".html"))):
            done = run("replay", *options, self.record)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn("nothing is recorded in it", done.stderr)

    def test_a_file_at_the_limit_of_the_process_ends_nobody(self):
        self.record_groups([GROUP])
        frame = self.record.stat().st_size
        self.assertTrue(1024 < frame < 2048)
        done = subprocess.run(
            ["sh", "-c", 'ulimit -f 4 && exec "$0" assign --assignor learner -', segue()],
            input=json.dumps(GROUP),
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "SEGUE_RECORD_PATH": str(self.record)},
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.record.stat().st_size, frame)

    def test_usage(self):
        self.record_groups([GROUP])
        self.assertEqual(run("replay").returncode, 2)
        self.assertEqual(run("replay", "--group", self.record).returncode, 2)
        self.assertEqual(run("replay", "--step", "2", self.record).returncode, 1)
        page = self.record.with_suffix(".html")
        for options, words in (
            (("--group", "--report", page), "--report tells all steps"),
            (("--report", page), "--report tells all steps"),
            (("--group", "--json"), "--group prints what was recorded"),
            (("--group", "--assignor", "learner"), "--group prints what was recorded"),
        ):
            with self.subTest(options=options):
                done = run("replay", "--step", "1", *options, self.record)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(words, done.stderr)
                self.assertFalse(page.exists())
        done = run("replay", "--report", "-", self.record)
        self.assertIn("a file to write into is needed", done.stderr)
        self.assertIn("Is a directory", run("replay", self.record.parent).stderr)
        self.assertEqual(run("replay", "--assignor", "x", self.record).returncode, 3)
        self.assertEqual(run("replay", self.record.with_name("none")).returncode, 1)


if __name__ == "__main__":
    main()
