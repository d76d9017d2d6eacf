#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the program promises to the shell: exit status, streams, and one clear line for each error.

program_test.py SEGUE TEST_PLUGINS
"""

import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

SEGUE = pathlib.Path()
PLUGINS = pathlib.Path()
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "packaging/examples"

GROUP = {
    "segue": "group/1",
    "subtopologies": [{"id": 0, "partitions": 4}],
    "members": [{"id": "S2"}, {"id": "S1", "active": ["0_0", "0_1", "0_2", "0_3"]}],
}


def run(*arguments, text="", **more):
    """The finished process."""
    more.setdefault("stdout", subprocess.PIPE)
    return subprocess.run(
        [SEGUE, *arguments], input=text, stderr=subprocess.PIPE, text=True, timeout=60, check=False, **more
    )


class Program(unittest.TestCase):
    """One sentence a test."""

    def assert_refused(self, done, status, *words):
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"\Asegue: [^\n]+\n\Z")
        for word in words:
            self.assertIn(word, done.stderr)

    def test_a_plan_keeps_the_order_of_the_members(self):
        done = run("assign", "--assignor", "learner", text=json.dumps(GROUP))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        plan = json.loads(done.stdout)
        self.assertEqual([m["id"] for m in plan["members"]], ["S2", "S1"])
        self.assertEqual(plan["members"][0]["learner"], ["0_2", "0_3"])

    def test_a_file_and_standard_input_give_the_same_plan(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(GROUP, file)
            file.flush()
            named = json.loads(run("assign", "--assignor=sticky", file.name).stdout)
        piped = json.loads(run("assign", "--assignor", "sticky", "-", text=json.dumps(GROUP)).stdout)
        del named["stats"]["elapsed_us"], piped["stats"]["elapsed_us"]
        self.assertEqual(named, piped)

    def test_the_example_of_racks_and_weights_is_as_hosts_group_md_tells_it(self):
        group = json.loads((EXAMPLES / "racks.json").read_text(encoding="utf-8"))
        plan = json.loads(run("assign", "--assignor", "balanced", text=json.dumps(group)).stdout)
        self.assertEqual([member["learner"] for member in plan["members"]], [["0_3"], []])
        self.assertEqual([plan["stats"][key] for key in ("imbalance", "traffic", "min_traffic")], [0, 4, 0])
        for task in group["tasks"]:
            del task["weight"]
        plan = json.loads(run("assign", "--assignor", "balanced", text=json.dumps(group)).stdout)
        self.assertEqual([member["active"] for member in plan["members"]], [["0_0", "0_1", "0_2"], ["0_3"]])
        self.assertEqual([member["learner"] for member in plan["members"]], [[], ["0_2"]])
        self.assertEqual([plan["stats"][key] for key in ("traffic", "min_traffic", "extra_moves")], [1, 1, 2])

    def test_compact_is_one_line(self):
        done = run("assign", "--assignor", "learner", "--compact", text=json.dumps(GROUP))
        self.assertEqual(done.stdout.count("\n"), 1)
        self.assertEqual(json.loads(done.stdout)["segue"], "plan/1")

    def test_a_batch_answers_every_line_in_its_place(self):
        good = json.dumps(GROUP)
        done = run("assign", "--assignor", "learner", "--batch", text=f'{good}\n\n{{"segue": "group/1"}}\n{good}')
        self.assertEqual(done.returncode, 1)
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([row["segue"] for row in rows], ["plan/1", "error/1", "error/1", "plan/1"])
        self.assertEqual([row.get("line") for row in rows], [None, 2, 3, None])
        self.assertIn("members: missing", rows[2]["error"])
        self.assertIn("line 3: members: missing", done.stderr)

    def test_a_batch_without_a_fault_ends_with_0(self):
        good = json.dumps(GROUP) + "\n"
        done = run("assign", "--assignor", "learner", "--batch", text=good * 3)
        self.assertEqual((done.returncode, done.stderr, done.stdout.count("\n")), (0, "", 3))

    def test_a_batch_answers_each_line_before_it_reads_the_next(self):
        with subprocess.Popen(
            [SEGUE, "assign", "--assignor", "learner", "--batch"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            for _ in range(2):
                process.stdin.write(json.dumps(GROUP) + "\n")
                process.stdin.flush()
                self.assertEqual(json.loads(process.stdout.readline())["segue"], "plan/1")
            process.stdin.close()
            self.assertEqual(process.wait(timeout=60), 0)

    def test_a_bad_document_is_the_inputs_fault(self):
        self.assert_refused(run("assign", "--assignor", "learner", text="{"), 1, "standard input:1:")
        self.assert_refused(run("assign", "--assignor", "learner", "/no/such/file"), 1, "/no/such/file: No such file")
        self.assert_refused(run("assign", "--assignor", "learner", "/"), 1, "/: Is a directory")
        self.assert_refused(run("assign", "--assignor", "learner", "--batch", "/"), 1, "/: Is a directory")

    def test_an_input_that_never_ends_is_refused_and_takes_two_gigabytes_at_most(self):
        for options in ([], ["--batch"]):
            with self.subTest(options):
                done = run("assign", "--assignor", "learner", *options, "/dev/zero")
                self.assert_refused(done, 1, "/dev/zero: 2 GiB are read and it goes on")

    def test_wrong_usage_names_what_was_meant(self):
        self.assert_refused(run("asign"), 2, "nearest is assign")
        self.assert_refused(run("assign", "--asignor", "x"), 2, "nearest is --assignor")
        self.assert_refused(run("assign"), 2, "--assignor NAME is needed")
        self.assert_refused(run("assign", "--assignor"), 2, "needs a value")
        self.assert_refused(run("assign", "--compact=yes"), 2, "takes no value")
        self.assert_refused(run("assign", "--assignor", "x", "a", "b"), 2, "b is one argument too many")
        self.assert_refused(run("bench", "--tasks", "0"), 2, "from 1 to")
        self.assert_refused(run("bench", "--event", "joyn1"), 2, "nearest is join1")
        self.assert_refused(run("bench", "--tasks", "1", "--file", "x"), 2, "--file")
        self.assertEqual(run().returncode, 2)

    def test_an_unknown_assignor_or_plugin_ends_with_3(self):
        good = json.dumps(GROUP)
        self.assert_refused(run("assign", "--assignor", "lerner", text=good), 3, "lerner", "learner")
        self.assert_refused(run("assign", "--assignor", "lerner", "--batch", text=good), 3, "lerner")
        self.assert_refused(
            run("assign", "--assignor", "learner", "--plugin", "/no/such.so", text=good), 3, "/no/such.so"
        )
        self.assert_refused(run("bench", "--assignor", "lerner", "--tasks", "4"), 3, "lerner")

    def test_an_output_that_cannot_be_written_is_an_error(self):
        for arguments in (["assign", "--assignor", "learner"], ["list"], ["list", "--json"], ["--help"], ["--version"]):
            with self.subTest(arguments), open("/dev/full", "w", encoding="utf-8") as full:
                done = run(*arguments, text=json.dumps(GROUP), stdout=full)
                self.assertEqual(done.returncode, 1)
                self.assertIn("standard output: No space left", done.stderr)

    def test_an_output_that_fails_is_complained_of_once_and_ends_the_work(self):
        good = json.dumps(GROUP) + "\n"
        for arguments in (["assign", "--assignor", "learner", "--batch"], ["bench", "--tasks", "10", "--repeats", "1"]):
            with self.subTest(arguments), open("/dev/full", "w", encoding="utf-8") as full:
                done = run(*arguments, text=good * 3, stdout=full)
                self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)

    def test_a_message_cannot_steer_a_terminal(self):
        for odd in ("a\nb", "\x1b[31m", "\x9b31m", "\u2028", "\u202e"):
            with self.subTest(odd):
                done = run("assign", "--assignor", "learner", text=json.dumps({**GROUP, odd: 1}, ensure_ascii=False))
                self.assert_refused(done, 1, "?", "unknown key")
                self.assertNotIn(odd, done.stderr)
                self.assertNotIn(odd, run("bench", odd).stderr)
                self.assertNotIn(odd, run("assign", "--assignor", "learner", f"/no/{odd}").stderr)

    def test_bench_needs_no_more_than_a_count_of_tasks(self):
        for more in ([], ["--members", "1"]):
            done = run("bench", "--tasks", "3", "--repeats", "1", *more)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_help_and_version_are_answers(self):
        for arguments in (["--help"], ["assign", "--help"], ["list", "-h"], ["bench", "--help"], ["--version"]):
            with self.subTest(arguments):
                done = run(*arguments)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn("segue", done.stdout)

    def test_help_about_a_command_is_its_help(self):
        for command in re.findall(r"^  segue ([a-z]+) ", run("--help").stdout, re.MULTILINE):
            with self.subTest(command):
                done = run("help", command)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(done.stdout, run(command, "--help").stdout)
                self.assertTrue(done.stdout.startswith(f"segue {command} "), done.stdout)
        self.assertEqual(run("help").stdout, run("--help").stdout)
        self.assert_refused(run("help", "bensh"), 2, "nearest is bench")

    def test_drain_swap_and_status_refuse_wrong_usage_before_they_connect(self):
        if "segue drain" not in run("--help").stdout:
            self.skipTest("built without librdkafka")
        where = ["--bootstrap-server", "127.0.0.1:1", "--application-id", "a"]
        self.assert_refused(run("drain", *where), 2, "at least one MEMBER")
        self.assert_refused(run("drain", "x"), 2, "--bootstrap-server HOST:PORT is needed")
        self.assert_refused(run("status", *where[:2]), 2, "--application-id ID is needed")
        self.assert_refused(run("drain", *where, "x", "--timeout", "10"), 2, '"10" is given; a duration such as 90s')
        self.assert_refused(run("drain", *where, "x", "--timeout", "1m", "--cancel"), 2, "--cancel goes with neither")
        self.assert_refused(run("drain", *where, "x", "--stay", "--cancel"), 2, "--cancel goes with neither")
        self.assert_refused(run("drain", *where, "--wiat", "x"), 2, "nearest is --wait")
        self.assert_refused(run("status", *where, "x"), 2, "x is one argument too many")
        self.assert_refused(run("swap", *where, "--wait"), 2, "either --assignor NAME or --configured is needed")
        self.assert_refused(run("swap", *where, "--assignor="), 2, "either --assignor NAME or --configured")
        self.assert_refused(run("swap", *where, "--assignor", "x", "--configured"), 2, "either --assignor NAME or")
        self.assert_refused(run("swap", *where, "--configured", "--timeout", "9s"), 2, "--timeout goes only with")
        self.assert_refused(run("swap", *where, "--configured", "--wait", "--timeout", "9"), 2, "a duration such as")
        self.assert_refused(run("drian"), 2, "nearest is drain")
        for command in ("drain", "swap", "status"):
            self.assertIn("--command-config FILE", run(command, "--help").stdout)

    def test_status_says_that_nobody_listens_where_it_was_sent(self):
        if "segue status" not in run("--help").stdout:
            self.skipTest("built without librdkafka")
        # Bound and not listening: whoever connects is refused, and nobody else takes the port.
        with socket.socket() as held, tempfile.NamedTemporaryFile("w", suffix=".properties") as quick:
            held.bind(("127.0.0.1", 0))
            quick.write("default.api.timeout.ms=1000\n")
            quick.flush()
            where = f"127.0.0.1:{held.getsockname()[1]}"
            more = ["--application-id", "a", "--command-config", quick.name]
            done = run("status", "--bootstrap-server", where, *more)
        self.assert_refused(done, 7, f"segue: no broker at {where}: connection refused (tried for 1s)\n")

    def test_list_names_every_assignor_with_its_plugin(self):
        plain = run("list").stdout
        document = json.loads(run("list", "--json").stdout)
        names = [a["name"] for p in document["plugins"] for a in p["assignors"]]
        self.assertLessEqual({"eager", "sticky", "learner"}, set(names))
        for name in names:
            self.assertIn(f"  {name} ", plain)

    def test_list_tells_why_a_program_is_refused_and_has_the_others(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "lost.assignor")
            path.write_text("#!/nosuch\n", encoding="utf-8")
            path.chmod(0o700)
            there = {**os.environ, "SEGUE_PLUGIN_PATH": folder}
            plain = run("list", env=there)
            plugins = json.loads(run("list", "--json", env=there).stdout)["plugins"]
            missed = run("assign", "--assignor", "typo", text=json.dumps(GROUP), env=there)
        why = f"{path} cannot be started: No such file or directory"
        self.assertEqual((plain.returncode, plain.stderr), (0, ""))
        self.assertIn(f"lost ({path})\n  refused: {why}\n", plain.stdout)
        self.assertIn("  learner ", plain.stdout)
        self.assertEqual([(one["assignors"], one["refused"]) for one in plugins if "refused" in one], [([], why)])
        self.assertNotIn("lost", missed.stderr.split(";")[0])

    def test_list_tells_why_a_file_is_refused_that_nobody_could_look_into(self):
        with tempfile.TemporaryDirectory() as folder:
            closed = pathlib.Path(folder, "closed.assignor")
            closed.write_text("#!/bin/sh\n", encoding="utf-8")
            pathlib.Path(folder, "lost.assignor").symlink_to("nowhere")
            there = {**os.environ, "SEGUE_PLUGIN_PATH": folder}
            plain = run("list", env=there)
            plugins = json.loads(run("list", "--json", env=there).stdout)["plugins"]
            named = run("assign", "--assignor", "closed", text=json.dumps(GROUP), env=there)
        self.assertEqual((plain.returncode, plain.stderr), (0, ""))
        self.assertIn(
            f"closed ({closed})\n  refused: {closed}: it is no program that can be run (chmod +x)\n", plain.stdout
        )
        self.assertIn("  learner ", plain.stdout)
        rows = {one["name"]: (one["version"], one["abi"], one["assignors"]) for one in plugins if "refused" in one}
        self.assertEqual(rows, {"closed": ("", 0, []), "lost": ("", 0, [])})
        self.assert_refused(named, 3, "no assignor closed: its plugin is refused: ", "(chmod +x)")

    def test_list_of_nothing_but_refusals_says_so(self):
        """The program is copied to where no plugin is beside it."""
        with tempfile.TemporaryDirectory() as folder:
            alone = pathlib.Path(folder, "bin")
            alone.mkdir()
            for file in ("segue", "libsegue.so.1", "segue-isolate"):
                shutil.copy(SEGUE.parent / file, alone / file)
            pathlib.Path(folder, "lost.assignor").symlink_to("nowhere")
            command = [alone / "segue", "list", "--json"]
            there = {**os.environ, "SEGUE_PLUGIN_PATH": folder, "LD_LIBRARY_PATH": str(alone)}
            done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=there)
        self.assertEqual((done.returncode, done.stderr), (3, "segue: every plugin that was found is refused\n"))
        self.assertEqual([one["name"] for one in json.loads(done.stdout)["plugins"]], ["lost"])

    def test_bench_prints_one_line_a_case(self):
        done = run(
            "bench", "--tasks", "60", "--members", "7", "--repeats", "5", "--standbys", "1", "--subtopologies", "3"
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        cases = [(row["event"], row["assignor"]) for row in rows]
        self.assertEqual(cases, [(e, a) for e in ("fresh", "stable", "join1") for a in ("learner", "sticky")])
        for row in rows:
            self.assertEqual((row["tasks"], row["members"], row["repeats"]), (60, 7, 5))
            self.assertGreater(row["min_us"], 0)
            self.assertGreater(row["memcpy_us"], 0)
            self.assertLessEqual(row["min_us"], row["median_us"])
        stable = [row for row in rows if row["event"] == "stable"]
        self.assertEqual([(row["moves"], row["min_moves"]) for row in stable], [(0, 0), (0, 0)])

    def test_bench_of_a_grid_is_one_table_over_events_standbys_racks_weights_and_leaving(self):
        done = run("bench", "--grid", "S", "--assignor", "learner", "--repeats", "1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        head, *rows = (line.split() for line in done.stdout.splitlines())
        self.assertEqual(head[:4], ["assignor", "tasks", "members", "event"])
        self.assertEqual({tuple(row[:3]) for row in rows}, {("learner", "50", "5")})
        events = {"fresh", "stable", "join1", "joinmany", "leave1", "partitions"}
        plain, full = ("0", "0", "-", "0"), ("1", "3", "1..8", "1")
        alone = {("1", "0", "-", "0"), ("0", "3", "-", "0"), ("0", "0", "1..8", "0"), ("0", "0", "-", "1")}
        variants = {plain, full} | alone
        self.assertEqual(head[4:8], ["standbys", "racks", "weights", "leaving"])
        cases = [(row[3], tuple(row[4:8])) for row in rows]
        self.assertEqual(set(cases), {(event, variant) for event in events for variant in variants})
        self.assertEqual(len(cases), len(set(cases)))
        self.assertEqual(head[-4:], ["moves", "at", "least", "learners"])
        self.assertEqual({row[11] for row in rows if row[3] == "stable" and tuple(row[4:8]) == plain}, {"0"})

    def test_bench_of_a_grid_shows_the_learners_by_which_tasks_move_later(self):
        done = run("bench", "--grid", "s", "--assignor", "learner", "--event", "JOIN1", "--repeats", "1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        first = done.stdout.splitlines()[1].split()
        self.assertEqual(first[1:4], ["50", "5", "join1"])
        # Ten of the fifty tasks are the share of the member that joins; it learns all of them before one moves.
        self.assertEqual(first[11:], ["0", "10", "10"])

    def test_bench_of_leaving_members_drains_them(self):
        """Three of ten members leave with ten tasks each: nothing moves before somebody has learned them."""
        group = ("--tasks", "100", "--members", "10", "--event", "stable", "--leaving", "3", "--repeats", "1")
        done = run("bench", "--assignor", "scale-down", "--assignor", "learner", *group)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        drained, untouched = (json.loads(line) for line in done.stdout.splitlines())
        self.assertEqual([drained[key] for key in ("leaving", "moves", "min_moves")], [3, 0, 30])
        self.assertEqual([untouched[key] for key in ("leaving", "moves", "min_moves")], [3, 0, 0])

    def test_bench_of_heavy_weights_moves_what_counts_alone_would_leave(self):
        group = ("--tasks", "300", "--members", "30", "--event", "stable", "--repeats", "1")
        done = run("bench", "--assignor", "balanced", "--heavy-weights", *group)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        heavy = json.loads(done.stdout)
        self.assertTrue(heavy["weights"])
        self.assertEqual(heavy["spread"], 0)
        self.assertGreaterEqual(heavy["learners"], heavy["min_moves"])
        self.assertGreater(heavy["min_moves"], 30)

    def test_bench_wants_somebody_to_stay(self):
        done = run("bench", "--tasks", "9", "--members", "3", "--leaving", "3", "--repeats", "1")
        self.assert_refused(done, 2, "3 of 3 members are to leave; one at least has to stay")

    def test_bench_refuses_a_grid_that_is_not_there_or_has_sizes(self):
        self.assert_refused(run("bench", "--grid", "10000x100"), 2, "nearest is 10000x1000")
        self.assert_refused(run("bench", "--grid", "S", "--tasks", "4"), 2, "--grid has its own sizes")

    def test_a_refused_plan_is_replaced_and_said_to_be(self):
        plugin = str(PLUGINS / "sound.so")
        done = run("assign", "--assignor", "fails", "--plugin", plugin, text=json.dumps(GROUP))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(
            done.stderr, r"\Asegue: warning: standard input: the fallback answered instead of fails: .+\n\Z"
        )
        self.assertEqual(json.loads(done.stdout)["members"][1]["active"], ["0_0", "0_1", "0_2", "0_3"])


if __name__ == "__main__":
    PLUGINS = pathlib.Path(sys.argv.pop())
    SEGUE = pathlib.Path(sys.argv.pop())
    unittest.main()
