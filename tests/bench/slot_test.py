#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the run leans on: bench_slot answers each line with as many times, says what came out, and refuses nonsense.

slot_test.py [-v] BENCH_SLOT PLUGIN GROUP
"""

import json
import subprocess
import sys
import unittest

SLOT, PLUGIN, GROUP = sys.argv[-3:]


def run(assignor, text, group=None):
    return subprocess.run([SLOT, PLUGIN, assignor, group or GROUP], input=text, text=True, capture_output=True)


class SlotTest(unittest.TestCase):
    def test_each_line_is_answered_by_the_times_of_so_many_calls(self):
        for assignor in ("balanced", "high-availability", "memcpy"):
            done = run(assignor, "3\n1\n")
            self.assertEqual(0, done.returncode, done.stderr)
            first, second, end = done.stdout.splitlines()
            self.assertEqual([3, 1], [len(first.split()), len(second.split())])
            self.assertTrue(all(int(time) > 0 for time in first.split()))
            self.assertIn("moves", json.loads(end))

    def test_a_fault_says_what_and_ends_the_run(self):
        self.assertIn("no assignor is called", run("balancd", "1\n").stderr)
        self.assertIn("cannot be read", run("balanced", "1\n", "/nowhere.json").stderr)
        self.assertIn("has to be a number", run("balanced", "0\n").stderr)
        self.assertEqual(1, run("balanced", "0\n").returncode)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:-3])
