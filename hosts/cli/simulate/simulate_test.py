#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Simulations against times that were worked out by hand, and against figures computed anew from the events.

simulate_test.py SEGUE
"""

import itertools
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "test"))

import recompute
from program import main, run, segue
from scenarios import MB, PAIR, pair, play, times


class ByHand(unittest.TestCase):
    """Each time here is the sum of the steps that the scenario names."""

    def test_a_learner_is_ready_asks_and_takes_over_in_two_rounds(self):
        figures, events = play(PAIR)
        # 1 s join + 3.3 rebalance; 2 s replay; 0.5 gathered + 3.3 rebalance; 0.1 given up + 0.35 all join; 0.05 opened
        self.assertEqual(times(events, "rebalance"), [0, 4.3, 10.1, 10.55])
        self.assertEqual(times(events, "ready"), [6.3])
        self.assertEqual(times(events, "run", "b"), [10.6])
        self.assertEqual((figures["moves"], figures["least_moves"], figures["copies_built"]), (1, 1, 1))
        self.assertAlmostEqual(figures["longest_gap_s"], 0.5)
        self.assertAlmostEqual(figures["balance_s"], 9.6)
        self.assertAlmostEqual(figures["balance_bound_s"], 2)
        self.assertEqual(figures["bytes_restored"], 100 * MB)
        self.assertAlmostEqual(figures["estimate_error"], 0)

    def test_where_nobody_hears_the_learner_the_plans_own_followup_comes(self):
        _, events = play(pair(PAIR["actions"], {"trigger": "probing"}, {"probing.rebalance.interval.ms": 60000}))
        # 4.3 + 60 follow-up + 3.3 rebalance
        self.assertEqual(times(events, "rebalance")[2], 67.6)

    def test_a_cold_move_is_down_while_it_replays(self):
        figures, events = play(PAIR, "--assignor", "sticky")
        # given up at 4.3; 0.45 second round; 0.05 opened; 2 s replay
        self.assertEqual(times(events, "run", "b"), [6.8])
        self.assertAlmostEqual(figures["longest_gap_s"], 2.5)

    def test_a_crash_is_seen_when_the_session_ends(self):
        figures, events = play(pair([{"at_ms": 1000, "do": "crash", "member": "a"}]))
        self.assertEqual(times(events, "gone"), [46])
        # 45 s session + 3.3 rebalance + 0.05 opened + 2 s replay; one of the two was on `a`
        self.assertAlmostEqual(figures["longest_gap_s"], 50.35)
        self.assertEqual((figures["failovers"], figures["moves"]), (1, 0))

    def test_replays_share_a_members_bandwidth(self):
        actions = [{"at_ms": 1000, "do": "leave", "member": "a"}]
        document = pair(actions)
        document["group"]["subtopologies"][0]["partitions"] = 4
        _, events = play(document)
        # 1 s + 3.3 + 0.05; two tasks at half the speed each: 4 s
        self.assertEqual(times(events, "run", "b")[-2:], [8.35, 8.35])

    def test_what_is_written_meanwhile_has_to_be_replayed_too(self):
        figures, events = play(pair(PAIR["actions"], {"write_bytes_per_s": 10 * MB}))
        # The log grows by 10 MB/s while 50 are read, and not beyond the whole state: 100 / (50 - 10)
        self.assertEqual(times(events, "ready"), [6.8])
        self.assertEqual(figures["moves"], 1)

    def test_a_copy_on_disk_lacks_what_was_written_since(self):
        actions = [
            {"at_ms": 60_000, "do": "leave", "member": "b"},
            {"at_ms": 120_000, "do": "start", "member": "b"},
        ]
        _, events = play(pair(actions, {"write_bytes_per_s": MB}))
        begun = [e for e in events if e["event"] == "role" and e["role"] == "learner"]
        # It stopped at 60; `a` wrote on from 60 + 3.3 + 0.05 opened, after replaying 100 MB at 50 - 0, up to 123.3
        self.assertAlmostEqual(begun[0]["lag_bytes"] / MB, 123.3 - (60 + 3.35 + 2))

    def flapping(self, cooldown_ms):
        # 2.5 minutes wanted of every 4, in which a restore of 20 tasks of 1 GiB at 100 MiB/s takes 3.4.
        flap = {"at_ms": 60_000, "do": "flap", "member": "new", "every_ms": 240_000, "up_ms": 150_000}
        members = [{"id": f"m{i}"} for i in range(9)]
        document = {
            "segue": "scenario/1",
            "group": {
                "segue": "group/1",
                "subtopologies": [{"id": 0, "partitions": 200, "state_bytes": 1 << 30}],
                "members": [*members, {"id": "new"}],
            },
            "cluster": {"restore_bytes_per_s": 100 << 20},
            "actions": [{**flap, "times": 60, "by": "drain", "cooldown_ms": cooldown_ms}],
        }
        return play(document, "--assignor", "scale-down")

    def test_a_cooldown_lets_no_learner_go_to_waste(self):
        figures, events = self.flapping(600_000)
        changes = sorted(times(events, "up", "new") + times(events, "mark", "new"))
        self.assertGreater(len(changes), 10)
        self.assertGreaterEqual(min(b - a for a, b in itertools.pairwise(changes)), 600)
        self.assertLessEqual(figures["learners_abandoned"], figures["learners"] / 100)
        self.assertEqual(figures["moves"], figures["least_moves"])
        without, _ = self.flapping(0)
        self.assertGreater(without["learners_abandoned"], without["learners"] / 100)

    def test_a_flap_that_the_next_wish_takes_back_is_dropped(self):
        flap = {"at_ms": 0, "do": "flap", "member": "b", "every_ms": 100_000, "up_ms": 50_000, "times": 3}
        _, every = play(pair([{**flap, "by": "leave"}]))
        self.assertEqual(times(every, "up", "b"), [0, 100, 200])
        self.assertEqual(times(every, "down", "b"), [50, 150, 250])
        # Down is wished at 50 and due at 120, when up is wished again; down at 150; up at 200 would be due at 270
        _, few = play(pair([{**flap, "by": "leave", "cooldown_ms": 120_000}]))
        self.assertEqual((times(few, "up", "b"), times(few, "down", "b")), ([0], [150]))
        # Down at 60, up again at 120, when that is still wished; down at 180, up at 240, and down at 300
        _, late = play(pair([{**flap, "by": "leave", "cooldown_ms": 60_000}]))
        self.assertEqual((times(late, "up", "b"), times(late, "down", "b")), ([0, 120, 240], [60, 180, 300]))

    def test_static_members_keep_their_tasks_over_a_restart(self):
        restart = [{"at_ms": 1000, "do": "restart", "member": "a", "away_ms": 5000}]
        figures, events = play(pair(restart, {"static_members": True}))
        self.assertEqual(len(times(events, "rebalance")), 1)
        self.assertAlmostEqual(figures["longest_gap_s"], 5.05)

    def test_members_that_are_not_static_wait_for_their_old_session(self):
        restart = [{"at_ms": 1000, "do": "restart", "member": "a", "away_ms": 5000}]
        figures, events = play(pair(restart))
        self.assertEqual(times(events, "join", "a"), [0, 46])
        self.assertAlmostEqual(figures["longest_gap_s"], 48.35)

    def test_the_eager_protocol_stops_everybody_for_each_rebalance(self):
        figures, _ = play(pair(PAIR["actions"], {"protocol": "eager"}))
        # Both tasks stop for the 3.3 s of both rebalances; the one that moves is opened for 0.05 s
        self.assertAlmostEqual(figures["down_s"], 4 * 3.3 + 0.05)

    def test_a_drained_member_goes_when_it_is_empty(self):
        figures, events = play(pair([{"at_ms": 1000, "do": "drain", "member": "b"}]), "--assignor", "scale-down")
        self.assertEqual(times(events, "down", "b"), times(events, "rebalance")[3:4])
        self.assertEqual((figures["moves"], figures["failovers"]), (1, 0))
        self.assertAlmostEqual(figures["longest_gap_s"], 0.5)

    def test_a_deadline_forces_the_task_away(self):
        drain = [{"at_ms": 1000, "do": "drain", "member": "b", "timeout_ms": 4000}]
        figures, events = play(pair(drain, {"restore_bytes_per_s": MB}), "--assignor", "scale-down")
        down = times(events, "down", "b")[0]
        self.assertTrue(5 <= down < 15, down)
        self.assertEqual(figures["moves"], 1)

    def test_who_cannot_be_drained_leaves(self):
        figures, _ = play(pair([{"at_ms": 1000, "do": "drain", "member": "b"}]), "--assignor", "sticky")
        self.assertEqual((figures["moves"], figures["failovers"]), (0, 1))

    def test_a_slow_disk_takes_its_time(self):
        slow = [{"at_ms": 0, "do": "disk", "member": "b", "restore_bytes_per_s": 10 * MB}, *PAIR["actions"]]
        _, events = play(pair(slow))
        self.assertEqual(times(events, "ready"), [14.3])

    def test_a_group_that_owns_something_begins_as_it_is(self):
        document = pair([])
        document["group"]["members"] = [{"id": "a", "active": ["0_0", "0_1"]}, {"id": "b", "learner": ["0_1"]}]
        document["group"]["members"][1]["lag"] = {"0_1": 500_000}
        _, events = play(document)
        # Half of the 100 MB in records of 100 bytes are left
        self.assertEqual(times(events, "ready"), [1])

    def test_of_several_owners_the_first_goes_on(self):
        document = pair([])
        document["group"]["members"] = [{"id": "a", "active": ["0_0"]}, {"id": "b", "active": ["0_0", "0_1"]}]
        figures, events = play(document)
        self.assertEqual(
            [(e["task"], e["member"]) for e in events if e["event"] == "run"], [("0_0", "a"), ("0_1", "b")]
        )
        self.assertEqual((figures["moves"], figures["failovers"]), (0, 0))

    def test_no_more_than_the_state_is_ever_replayed(self):
        """Written faster than it is read: a compacted log is never longer than the state."""
        leave = [{"at_ms": 600_000, "do": "leave", "member": "a"}]
        figures, _ = play(pair(leave, {"write_bytes_per_s": 1000 * MB}, {"num.standby.replicas": 1}))
        self.assertLessEqual(figures["bytes_restored"], 2 * 100 * MB + 50 * MB * 604 * 2)
        self.assertEqual(figures["tasks_down"], 0)

    def test_what_nobody_takes_over_is_down_until_the_end(self):
        document = pair([{"at_ms": 1000, "do": "leave", "members": ["a", "b"]}])
        document["until_ms"] = 61_000
        figures, events = play(document)
        self.assertEqual((figures["tasks_down"], figures["down_s"], figures["longest_gap_s"]), (2, 120, 60))
        self.assertEqual(times(events, "end"), [61])

    def test_nothing_runs_while_an_eager_group_joins(self):
        actions = [{"at_ms": 1000, "do": "leave", "member": "a"}, {"at_ms": 4320, "do": "start", "member": "a"}]
        _, events = play(pair(actions, {"protocol": "eager", "open_ms": 100}))
        rebalances = times(events, "rebalance")
        # The task of `a` would be opened at 4.4, when everybody has given up everything to join again
        self.assertEqual(rebalances[1:3], [4.3, 7.62])
        self.assertFalse([at for at in times(events, "run") if 4.32 < at < 7.62])


class Record(unittest.TestCase):
    """What is only played was nobody's rebalance."""

    def test_nothing_is_recorded(self):
        with tempfile.TemporaryDirectory() as folder:
            record = pathlib.Path(folder, "plans.rec")
            for command in ("simulate", "compare"):
                done = subprocess.run(
                    [segue(), command, "--preset", "scale-out"],
                    env={**os.environ, "SEGUE_RECORD_PATH": str(record)},
                    capture_output=True,
                    check=False,
                )
                self.assertEqual(done.returncode, 0, done.stderr)
            self.assertFalse(record.exists())


class Progress(unittest.TestCase):
    """What people see of a long run."""

    def test_it_is_on_standard_error_and_changes_nothing(self):
        preset = ("--preset", "nervous-autoscaler", "--tasks", "200", "--members", "10")
        quiet = run("simulate", "--json", *preset)
        told = run("simulate", "--json", "--progress", *preset)
        self.assertEqual((quiet.stderr, quiet.stdout), ("", told.stdout))
        self.assertRegex(told.stderr, r"learner: [0-9.]+ % of \d+ s at the most, \d+ rebalances")
        self.assertTrue(told.stderr.endswith("\033[K"))


class Whole(unittest.TestCase):
    """Larger runs."""

    def test_every_figure_follows_from_the_events(self):
        presets = [line.split()[0] for line in run("simulate", "--preset", "list").stdout.splitlines()]
        self.assertEqual(len(presets), 10)
        for number, preset in enumerate(presets):
            for assignor in ("learner", "scale-down", "balanced", "high-availability", "sticky", "eager"):
                with self.subTest(preset=preset, assignor=assignor), tempfile.NamedTemporaryFile() as file:
                    size = ("--tasks", "20", "--members", "4", "--standbys", str(number % 2), "--seed", "3")
                    done = run(
                        "simulate", "--preset", preset, "--assignor", assignor, *size, "--json", "--events", file.name
                    )
                    said = json.loads(done.stdout)["figures"]
                    computed = recompute.figures(pathlib.Path(file.name))
                    self.assertEqual(said.keys(), computed.keys())
                    for name, figure in said.items():
                        near = math.isclose(figure, computed[name], rel_tol=1e-9, abs_tol=1e-6)
                        self.assertTrue(near, f"{name}: {figure} is said, {computed[name]} follows")
                    self.assertEqual(said["fallbacks"], 0)
                    self.assertLessEqual(said["balance_bound_s"], said["balance_s"])

    def test_one_of_eleven_joins_a_thousand_tasks(self):
        shape = ("--preset", "scale-out", "--tasks", "1000", "--members", "10", "--json")
        done = run("compare", *shape, "--assignors", "learner,high-availability")
        learner, kafka = (column["runs"][0] for column in json.loads(done.stdout)["columns"])
        self.assertEqual((learner["moves"], learner["copies_built"], learner["least_moves"]), (90, 90, 90))
        self.assertLess(learner["balance_s"], 1.1 * learner["balance_bound_s"])
        # What Kafka's does there: two at a time, every ten minutes, each in two rounds
        self.assertEqual((kafka["moves"], kafka["rebalances"]), (900, 902))
        self.assertGreater(kafka["balance_s"], 3 * 24 * 3600)

    def test_a_cold_assignor_comes_to_rest_where_two_restore_at_once(self):
        """Between a revocation and the next round tasks have no owner, and the nearest copies lie with who is full."""
        for seed in ("2", "6", "8"):
            with self.subTest(seed=seed), tempfile.NamedTemporaryFile() as file:
                shape = ("--preset", "spot-kills", "--tasks", "40", "--members", "4", "--seed", seed)
                run("simulate", *shape, "--assignor", "sticky", "--events", file.name)
                events = map(json.loads, pathlib.Path(file.name).read_text().splitlines())
                rebalances = [e for e in events if e.get("event") == "rebalance"]
                self.assertGreater(len(rebalances), 40)
                self.assertEqual([e for e in rebalances if e["moves"] > e["min_moves"]], [])

    def test_no_episode_is_shorter_than_its_replays(self):
        """Also where a second thing happens while members are still learning."""
        done = run(
            "simulate", "--preset", "swap", "--tasks", "200", "--members", "10", "--assignor", "scale-down", "--json"
        )
        figures = json.loads(done.stdout)["figures"]
        self.assertLess(figures["balance_bound_s"], figures["balance_s"])

    def test_a_seed_decides_what_is_left_to_chance_and_nothing_else_does(self):
        def kills(seed):
            return run("simulate", "--preset", "spot-kills", "--json", "--seed", seed).stdout

        self.assertEqual(kills("5"), kills("5"))
        self.assertNotEqual(json.loads(kills("5"))["figures"], json.loads(kills("6"))["figures"])

    def test_a_printed_preset_plays_as_the_preset_does(self):
        printed = run("simulate", "--preset", "swap", "--print").stdout
        self.assertEqual(
            run("simulate", "--json", "-", text=printed).stdout, run("simulate", "--json", "--preset", "swap").stdout
        )

    def test_a_run_that_ends_before_it_is_balanced_has_not_reached_it(self):
        slow = pair(PAIR["actions"], {"restore_bytes_per_s": 100})
        # Before its first move; before the plan that counts with the newcomer; while a marked member still holds tasks.
        marked = [{"at_ms": 20000, "do": "drain", "member": "a"}]
        for document in (
            slow,
            {**PAIR, "until_ms": 5000},
            {**PAIR, "until_ms": 3000},
            {**pair(PAIR["actions"] + marked), "until_ms": 21000},
        ):
            for assignor in ("scale-down", "sticky"):
                with self.subTest(document=document, assignor=assignor), tempfile.NamedTemporaryFile() as file:
                    options = ("--assignor", assignor, "--events", file.name, "-")
                    done = run("simulate", "--json", *options, text=json.dumps(document))
                    figures = json.loads(done.stdout)["figures"]
                    if assignor == "scale-down":
                        self.assertIsNone(figures["balance_s"])
                    again = recompute.figures(pathlib.Path(file.name))["balance_s"]
                    self.assertEqual(figures["balance_s"] is None, again is None)
        table = run("compare", "--assignors", "learner", "-", text=json.dumps(slow)).stdout
        self.assertIn("| balance_s | not reached |", table)
        self.assertRegex(run("simulate", "-", text=json.dumps(slow)).stdout, r"balance_s +not reached")

    def test_columns_are_assignors_and_modes(self):
        done = run(
            "compare",
            "--preset",
            "double",
            "--assignors",
            "learner,balanced",
            "--modes",
            "eager,stable",
            "--seeds",
            "2",
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("| learner eager | learner stable | balanced eager | balanced stable |", done.stdout)
        self.assertIn("\n| moves | 25 | 25 | 25 | 25 |\n", done.stdout)


if __name__ == "__main__":
    main()
