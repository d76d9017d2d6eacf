#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Forecasts for what an instance serves over HTTP.

http_test.py SEGUE
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

from groups import GROUP
from program import main, run


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
