#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks for forecasts, and comes to each of them again with nothing but 'segue assign'.

plan_test.py SEGUE
"""

import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "test"))

from groups import GROUP
from program import main, run

ROOT = pathlib.Path(__file__).resolve().parents[3]
CASES = sorted((ROOT / "tests/cases").glob("*.json"))
ROLES = ("active", "standby", "learner")


def forecast(group, *options):
    done = run("plan", "--json", *options, "-", text=json.dumps(group))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def assign(assignor, group):
    done = run("assign", "--assignor", assignor, "--compact", "-", text=json.dumps(group))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def held(member):
    return {role: list(member.get(role, [])) for role in ROLES}


def tasks_of(group):
    """Stateful tasks with their bytes, and those without state with None."""
    tasks = {}
    for kind in group.get("subtopologies", []):
        for partition in range(kind["partitions"]):
            size = kind.get("state_bytes", 1000)
            tasks[f"{kind['id']}_{partition}"] = size if kind.get("stateful", True) else None
    for task in group.get("tasks", []):
        tasks[task["id"]] = task.get("state_bytes", 1000) if task.get("stateful", True) else None
    return tasks


def walk(assignor, group):
    """The rounds to where nothing changes: moves, learners, copies, cold, bytes."""
    sizes = tasks_of(group)
    group = json.loads(json.dumps(group))
    rounds = []
    caught_up = False
    while len(rounds) < 400:
        plan = assign(assignor, group)
        changed = False
        row = [plan["stats"]["moves"], plan["stats"]["learners"], 0, 0, 0]
        disks = {}
        for member in group["members"]:
            disk = disks.setdefault(member.get("process", member["id"]), set())
            disk.update(*held(member).values(), member.get("lag", {}))
        for before, after in zip(group["members"], plan["members"], strict=True):
            wants = held(after)
            has = disks[before.get("process", before["id"])]
            # Claims on tasks that are gone are nobody's to give up.
            changed |= {role: sorted(sizes.keys() & tasks) for role, tasks in held(before).items()} != {
                role: sorted(tasks) for role, tasks in wants.items()
            }
            for role in ROLES:
                built = [task for task in wants[role] if sizes.get(task) is not None and task not in has]
                row[2] += len(built)
                row[3] += len(built) if role == "active" else 0
                row[4] += sum(sizes[task] for task in built)
            dormant = {
                task: lag
                for task, lag in before.get("lag", {}).items()
                if sizes.get(task) is not None and not any(task in tasks for tasks in held(before).values())
            }
            fresh = {task: 0 for role in ROLES for task in wants[role] if sizes.get(task) is not None}
            before.update(wants, lag={**dormant, **fresh})
        if changed:
            rounds.append(row)
        elif caught_up:
            return rounds, group
        caught_up = True
    raise AssertionError("does not settle")


class Course(unittest.TestCase):
    def test_every_situation_comes_to_what_assigning_again_and_again_comes_to(self):
        groups = [json.loads(path.read_text())["group"] for path in CASES]
        compared = 0
        for path, group in zip(CASES, groups, strict=True):
            names = [member["id"] for member in group["members"]]
            if len(tasks_of(group)) > 200 or any(kind["partitions"] > 200 for kind in group.get("subtopologies", [])):
                continue
            with self.subTest(path.name):
                rounds, end = walk("balanced", group)
                said = forecast(group, "--assignor", "balanced", "--state-bytes", "1000")
                columns = ("moves", "learners", "copies", "cold", "bytes")
                self.assertEqual([[row[column] for column in columns] for row in said["rounds"]], rounds)
                self.assertTrue(said["settled"])
                then = {member["id"]: len(member["active"]) for member in end["members"]}
                self.assertEqual({row["id"]: row["active_then"] for row in said["members"]}, then)
                self.assertEqual(sorted(then), sorted(names))
                compared += 1
        self.assertGreater(compared, 40)

    def test_newcomers_learn_and_take_over(self):
        said = forecast(GROUP, "--assignor", "balanced", "--add", 1)
        self.assertEqual([(row["moves"], row["learners"]) for row in said["rounds"]], [(0, 2), (2, 0)])
        self.assertEqual(said["members"][-1] | {"active": 0, "active_then": 2, "threads": 2}, said["members"][-1])
        self.assertEqual(said["members"][-1]["id"], "new-1")

    def test_time_is_that_of_the_busiest_member(self):
        said = forecast(GROUP, "--add", 1, "--threads", 1, "--state-bytes", "60MB", "--restore-rate", "60MB")
        self.assertEqual(said["total"]["copies"], 1)
        self.assertEqual((said["total"]["bytes"], said["total"]["ms"]), (60000000, 1000))
        more = forecast(GROUP, "--add", 1, "--threads", 2, "--state-bytes", "60MB", "--restore-rate", "60MB")
        self.assertEqual((more["total"]["bytes"], more["total"]["ms"]), (120000000, 2000))
        two = forecast(GROUP, "--add", 2, "--threads", 1, "--state-bytes", "60MB", "--restore-rate", "60MB")
        self.assertEqual((two["total"]["bytes"], two["total"]["ms"]), (120000000, 1000))

    def test_a_new_name_is_nobody_elses(self):
        group = json.loads(json.dumps(GROUP))
        group["members"][0]["id"] = "new-1"
        names = [row["id"] for row in forecast(group, "--add", 2)["members"]]
        self.assertEqual(sorted(names), ["new-1", "new-2", "new-3", "old-2"])

    def test_a_leaver_is_emptied_by_learners_where_marks_are_heeded(self):
        said = forecast(GROUP, "--assignor", "scale-down", "--add", 1, "--remove", "old-1")
        leaver = next(row for row in said["members"] if row["id"] == "old-1")
        self.assertEqual((leaver["leaving"], leaver["active"], leaver["active_then"]), (True, 3, 0))
        self.assertEqual((said["total"]["moves"], said["total"]["cold"]), (3, 0))

    def test_where_no_marks_are_heeded_it_stops_and_its_tasks_are_down(self):
        done = run("plan", "--json", "--remove", "old-1", "-", text=json.dumps(GROUP))
        said = json.loads(done.stdout)
        self.assertIn("warning: learner heeds no marks", done.stderr)
        self.assertEqual([row["id"] for row in said["members"]], ["old-2"])
        self.assertEqual(said["total"]["cold"], 3)

    def test_a_leaver_of_the_same_process_leaves_its_disk(self):
        """explain says of each of these that b shares the disk of a: nothing is replayed, marked or stopped."""
        group = {
            "segue": "group/1",
            "subtopologies": [{"id": 0, "partitions": 4}, {"id": 1, "partitions": 2, "stateful": False}],
            "members": [
                {"id": "a", "process": "p", "active": ["0_0", "0_1", "1_0"]},
                {"id": "b", "process": "p", "active": ["0_2", "0_3", "1_1"]},
            ],
        }
        for assignor in ("scale-down", "learner", "balanced", "sticky"):
            with self.subTest(assignor):
                said = forecast(group, "--assignor", assignor, "--remove", "a", "--state-bytes", "1GiB")
                total = said["total"]
                self.assertEqual((total["copies"], total["cold"], total["bytes"]), (0, 0, 0))
                self.assertEqual({row["id"]: row["active_then"] for row in said["members"]}["b"], 6)
        group["members"][1]["process"] = "q"
        said = forecast(group, "--assignor", "learner", "--remove", "a", "--state-bytes", "1GiB")
        self.assertEqual((said["total"]["copies"], said["total"]["cold"]), (2, 2))

    def test_sums_that_no_number_holds_are_told_as_such(self):
        group = {**GROUP, "subtopologies": [{"id": 0, "partitions": 6, "state_bytes": 2**62}]}
        self.assertIsNone(forecast(group, "--add", 2)["total"]["bytes"])
        text = run("plan", "--add", 2, "-", text=json.dumps(group)).stdout
        self.assertIn("how many bytes cannot be told: they are more than 2^63", text)
        one = {**GROUP, "subtopologies": [{"id": 0, "partitions": 6, "state_bytes": 2**53}]}
        self.assertIsNone(forecast(one, "--add", 1, "--restore-rate", "1B")["total"]["ms"])
        self.assertIn(
            "it takes more than", run("plan", "--add", 1, "--restore-rate", "1B", "-", text=json.dumps(one)).stdout
        )
        self.assertIn("not every task that is built says", run("plan", "--add", 1, "-", text=json.dumps(GROUP)).stdout)

    def test_who_is_marked_keeps_its_tasks_where_no_marks_are_heeded(self):
        leaver, stays = GROUP["members"]
        group = json.dumps({**GROUP, "members": [{**leaver, "leaving": {"since_ms": 0}}, stays]})
        for assignor, warnings in (("learner", 1), ("scale-down", 0)):
            done = run("plan", "--assignor", assignor, "-", text=group)
            self.assertEqual(done.stderr.count("heeds no marks: who is marked as leaving keeps its tasks"), warnings)

    def test_a_settled_group_has_no_rounds(self):
        text = run("plan", "-", text=json.dumps(GROUP)).stdout
        self.assertIn("no rebalance would change anything", text)
        self.assertEqual(forecast(GROUP)["rounds"], [])

    def test_learners_on_their_way_hand_over(self):
        group = json.loads(json.dumps(GROUP))
        lag = {"0_0": 90000, "0_3": 90000}
        group["members"].append({"id": "new", "threads": 2, "learner": list(lag), "lag": lag})
        said = forecast(group)
        self.assertEqual(said["learners_in_flight"], 2)
        self.assertEqual([(row["moves"], row["copies"]) for row in said["rounds"]], [(2, 0)])

    def test_the_token_changes_with_what_counts_only(self):
        first = forecast(GROUP)["token"]
        self.assertEqual(forecast({**GROUP, "now_ms": 77})["token"], first)
        self.assertNotEqual(forecast(GROUP, "--add", 1)["token"], first)
        for options in (("--assignor", "scale-down", "--remove", "old-1"), ("--remove", "old-1"), ("--add", 1)):
            tokens = {forecast({**GROUP, "now_ms": now}, *options)["token"] for now in (0, 1000, 2000)}
            self.assertEqual(len(tokens), 1, options)
            self.assertNotIn(first, tokens)
        self.assertEqual(run("plan", "--expect", first, "-", text=json.dumps(GROUP)).returncode, 0)
        changed = run("plan", "--expect", first, "--add", 1, "-", text=json.dumps(GROUP))
        self.assertEqual(changed.returncode, 9)
        self.assertIn("something has changed since", changed.stderr)


class Refusals(unittest.TestCase):
    def refuses(self, status, words, *arguments, text=None):
        done = run("plan", *arguments, text=json.dumps(GROUP) if text is None else text)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertIn(words, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1)

    def test_what_is_missing_or_wrong_is_named(self):
        self.refuses(2, "a group document, or a cluster", "--json")
        self.refuses(2, "both are given", "--url", "http://127.0.0.1:1", "-")
        self.refuses(2, "--add is given twice", "--add", "1", "--add", "2", "-")
        self.refuses(2, '--state-bytes: "much" is given', "--state-bytes", "much", "-")
        self.refuses(2, "--threads needs --add", "--threads", "2", "-")
        for word in ("", "0123", "x" * 16):
            self.refuses(2, f'--expect: "{word}" is given; a token as plan prints it is needed', "--expect", word, "-")
        self.refuses(4, 'no member "nobody"', "--remove", "nobody", "-")
        self.refuses(1, "members[0]", "-", text='{"segue": "group/1", "members": [{}]}')
        self.refuses(3, "no-such", "--assignor", "no-such", "-")

    def test_what_nothing_would_come_of_is_refused(self):
        self.refuses(2, "--token-file is not taken beside a group document", "--token-file", "/nope", "-")
        self.refuses(2, "--command-config is not taken beside a group document", "--command-config", "/nope", "-")
        url = ("--url", "http://127.0.0.1:1")
        self.refuses(2, "--bootstrap-server is not taken beside --url", *url, "--bootstrap-server", "x:1")
        self.refuses(2, "--application-id is not taken beside --url", *url, "--application-id", "x")
        self.refuses(2, "--command-config is not taken beside --url", *url, "--command-config", "/nope")

    def test_nobody_is_removed_twice(self):
        members = [{**member, "process": f"p-{member['id']}"} for member in GROUP["members"]]
        group = json.dumps({**GROUP, "members": [*members, {"id": "third"}]})
        for assignor in ("learner", "scale-down"):
            for again in ("old-1", "p-old-1") if assignor == "scale-down" else ("old-1",):
                options = ("--assignor", assignor, "--remove", "old-1", "--remove", again, "-")
                self.refuses(2, f'--remove: "{again}" is given twice', *options, text=group)
            self.assertEqual(run("plan", "--assignor", assignor, "--remove", "old-1", "--remove", "old-2", "-",
                                 text=group).returncode, 0)  # fmt: skip

    def test_a_size_says_what_it_may_be(self):
        self.refuses(2, "at most 8192TiB, in B, KiB", "--state-bytes", "1048576TiB", "-")

    def test_nobody_is_left(self):
        alone = {**GROUP, "members": GROUP["members"][:1]}
        self.refuses(4, "nobody would be left", "--remove", "old-1", "-", text=json.dumps(alone))


if __name__ == "__main__":
    main()
