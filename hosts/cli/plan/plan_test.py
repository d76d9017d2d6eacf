#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks for forecasts, and comes to each of them again with nothing but 'segue assign'.

plan_test.py SEGUE
"""

import contextlib
import http.server
import json
import pathlib
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "test"))

from program import main, run

ROOT = pathlib.Path(__file__).resolve().parents[3]
CASES = sorted((ROOT / "tests/cases").glob("*.json"))
ROLES = ("active", "standby", "learner")
GROUP = {
    "segue": "group/1",
    "subtopologies": [{"id": 0, "partitions": 6}],
    "members": [
        {"id": "old-1", "threads": 2, "active": ["0_0", "0_1", "0_2"]},
        {"id": "old-2", "threads": 2, "active": ["0_3", "0_4", "0_5"]},
    ],
}


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


class Server:
    """Answers every GET with what it is told to; keeps what was asked."""

    def __init__(self, status, body, location=None):
        asked = self.asked = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append((self.path, self.headers.get("Authorization")))
                self.send_response(status)
                if location:
                    self.send_header("Location", location)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


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


class OverHttp(unittest.TestCase):
    """A record of one rebalance is what an instance serves."""

    def record(self, *groups):
        groups = groups or ({**GROUP, "members": [*GROUP["members"], {"id": "new", "threads": 2}]},)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "plans.rec")
            for group in groups:
                done = run("assign", "--assignor", "balanced", "-", text=json.dumps(group), SEGUE_RECORD_PATH=str(path))
                self.assertEqual(done.returncode, 0, done.stderr)
            return path.read_bytes()

    def ask(self, record, *options):
        with Server(200, record) as server:
            return run("plan", "--json", "--url", server.url, *options)

    def forecast(self, record, *options):
        done = self.ask(record, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_the_state_after_the_last_rebalance_is_what_is_planned_from(self):
        with Server(200, self.record()) as server:
            done = run("plan", "--json", "--url", server.url + "/", SEGUE_HTTP_TOKEN="sesame")
        self.assertEqual(done.returncode, 0, done.stderr)
        said = json.loads(done.stdout)
        self.assertEqual(server.asked, [("/rebalance", "Bearer sesame")])
        self.assertEqual((said["assignor"], said["learners_in_flight"]), ("balanced", 2))
        self.assertEqual([(row["moves"], row["copies"]) for row in said["rounds"]], [(2, 0)])
        self.assertGreater(said["seen_ms"], 1_600_000_000_000)

    def test_groups_by_what_members_read_are_one_forecast(self):
        """One rebalance plans all of them, each for itself; who is in both builds the copies of both."""
        orders = {**GROUP, "members": [*GROUP["members"], {"id": "new-1", "threads": 2}]}
        audit = {**GROUP, "subtopologies": [{"id": 0, "partitions": 12}], "members": [
            {"id": "old-1", "threads": 2, "active": [f"0_{number}" for number in range(12)]},
            {"id": "new-1", "threads": 2}]}  # fmt: skip
        sizes = ("--state-bytes", "60MB", "--restore-rate", "60MB")
        both = self.forecast(self.record(orders, audit), *sizes)
        alone = [self.forecast(self.record(group), *sizes) for group in (orders, audit)]
        self.assertEqual((both["groups"], alone[0]["groups"]), (2, 1))
        for figure in ("moves", "learners", "copies", "bytes"):
            self.assertEqual(both["total"][figure], sum(one["total"][figure] for one in alone))
        self.assertEqual(both["min_moves"], sum(one["min_moves"] for one in alone))
        rows = {row["id"]: (row["active"], row["active_then"]) for row in both["members"]}
        self.assertEqual(rows, {"old-1": (15, 8), "old-2": (3, 2), "new-1": (0, 8)})
        settled = {**GROUP, "subtopologies": [{"id": 0, "partitions": 9}], "members": [
            {"id": "old-1", "threads": 2, "active": ["0_0", "0_1", "0_2", "0_6"]},
            {"id": "old-2", "threads": 2, "active": ["0_3", "0_4", "0_5", "0_7", "0_8"]}]}  # fmt: skip
        added = self.forecast(self.record(GROUP, settled), "--add", 1, *sizes)
        self.assertEqual((added["total"]["copies"], added["total"]["ms"]), (5, 5000))
        self.assertNotEqual(
            self.forecast(self.record(settled, GROUP))["token"], self.forecast(self.record(GROUP))["token"]
        )

    def test_where_members_read_different_topics_newcomers_are_like_somebody(self):
        orders = {**GROUP, "members": [*GROUP["members"], {"id": "both"}]}
        audit = {**GROUP, "members": [{"id": "both", "active": ["0_0", "0_1", "0_2"]}, {"id": "auditor"}]}
        record = self.record(orders, audit)
        done = self.ask(record, "--add", 1)
        self.assertEqual(done.returncode, 4, done.stdout)
        self.assertIn("--like MEMBER says what newcomers read; there are members like", done.stderr)
        for kind in ("both (12 tasks)", "old-1 (6 tasks)", "auditor (6 tasks)"):
            self.assertIn(kind, done.stderr)
        said = self.forecast(record, "--add", 1, "--like", "auditor")
        newcomer = said["members"][-1]
        self.assertEqual((newcomer["id"], newcomer["threads"], newcomer["active_then"]), ("new-1", 1, 2))
        self.assertIn('no member "nobody"', self.ask(record, "--add", 1, "--like", "nobody").stderr)
        self.assertIn("--like needs --add", self.ask(record, "--like", "both").stderr)

    def test_what_only_one_reads_is_its_own(self):
        """As Faust's reply topics: newcomers do not read them, and they end with their reader."""
        own = [{**GROUP, "subtopologies": [{"id": 9, "partitions": 1, "stateful": False}],
                "members": [{"id": id, "active": ["9_0"]}]} for id in ("old-1", "old-2")]  # fmt: skip
        record = self.record(GROUP, *own)
        said = self.forecast(record, "--add", 1)
        self.assertEqual([row["active_then"] for row in said["members"]], [3, 3, 2])
        said = self.forecast(record, "--remove", "old-1")
        self.assertEqual({row["id"]: row["active_then"] for row in said["members"]}, {"old-1": 0, "old-2": 7})
        done = self.ask(self.record(own[0]), "--remove", "old-1")
        self.assertIn("nobody would be left", done.stderr)

    def test_a_member_is_known_by_its_process_too(self):
        """Consumers are called anew at each start; their process is what marks know them by."""
        members = [{**member, "process": f"process-of-{member['id']}"} for member in GROUP["members"]]
        said = self.forecast(self.record({**GROUP, "members": members}), "--remove", "process-of-old-1", "--add", 1)
        self.assertEqual({row["id"]: row["leaving"] for row in said["members"]},
                         {"old-1": True, "old-2": False, "new-1": False})  # fmt: skip

    def test_a_group_of_many_megabytes_is_planned(self):
        group = {**GROUP, "subtopologies": [{"id": "a-topic-with-a-long-name", "partitions": 100_000}],
                 "members": [{"id": f"member-{number:03}"} for number in range(100)]}  # fmt: skip
        record = self.record(group)
        self.assertGreater(len(record), 4_000_000)
        said = self.forecast(record, "--add", 1)
        self.assertEqual(said["total"]["moves"], 990)

    def test_what_tells_of_no_rebalance_is_named(self):
        for status, body, words in (
            (204, b"", "status 204: it tells of no rebalance, and not why; is it an instance with segue?"),
            (404, b'{"error": "there are /drain, /ready and /metrics"}', "status 404: there are /drain"),
            (200, b"", "no rebalance as segue writes it: it is empty"),
        ):
            with self.subTest(status), Server(status, body) as server:
                done = run("plan", "--url", server.url)
                self.assertEqual(done.returncode, 7)
                self.assertIn(words, done.stderr)

    def test_a_token_comes_from_a_file_and_goes_nowhere_else(self):
        with tempfile.NamedTemporaryFile("w") as file, contextlib.ExitStack() as stack:
            file.write("sesame\n")
            file.flush()
            other = stack.enter_context(Server(200, self.record()))
            first = stack.enter_context(Server(302, b"", location=other.url + "/rebalance"))
            done = run("plan", "--url", first.url, "--token-file", file.name)
            self.assertEqual(done.returncode, 7)
            self.assertIn("status 302", done.stderr)
            self.assertEqual(first.asked, [("/rebalance", "Bearer sesame")])
            self.assertEqual(other.asked, [])

    def test_refusals_say_what_the_instance_says(self):
        with Server(401, b'{"error": "a token is needed"}') as server:
            done = run("plan", "--url", server.url)
        self.assertEqual(done.returncode, 7)
        self.assertIn("status 401: a token is needed (--token-file FILE", done.stderr)

    def test_garbage_is_no_rebalance(self):
        record = self.record()
        for body in (b"", b"hello", record[:40], record[: len(record) // 2], b"\0" * 4096):
            with self.subTest(body[:8]), Server(200, body) as server:
                done = run("plan", "--url", server.url)
                self.assertEqual(done.returncode, 7, done.stderr)
                self.assertIn("no rebalance as segue writes it", done.stderr)

    def test_a_name_that_no_document_can_have_is_said(self):
        record = self.record().replace(b"new", b"n\0w")
        with Server(200, record) as server:
            done = run("plan", "--url", server.url)
        self.assertEqual(done.returncode, 7, done.stderr)
        self.assertIn("a byte of zero, which no document could have", done.stderr)

    def test_nobody_listens(self):
        with Server(200, b"") as server:
            url = server.url
        done = run("plan", "--url", url)
        self.assertEqual(done.returncode, 7)
        self.assertIn(url, done.stderr)
        self.assertEqual(run("plan", "--url", "file:///etc/passwd").returncode, 7)


if __name__ == "__main__":
    main()
