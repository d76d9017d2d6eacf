#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pages as the program writes them: the events inside are those of the run, nothing in a name can end the element that
they stand in, and what is no file of events is refused with its line. What a browser makes of them: hosts/report/test.

report_test.py SEGUE
"""

import json
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "test"))

from program import main, run

OPEN = '<script type="application/json" id="events">\n'
HOSTILE = "</script><script>alert(1)</script><!--\"'&\u2028"


def inside(page):
    """The events of a page, as the browser reads them."""
    text = page.read_text()
    start = text.index(OPEN) + len(OPEN)
    slot = text[start : text.index("</script>", start)]
    assert "<" not in slot, slot[slot.index("<") :][:80]
    return [json.loads(line) for line in slot.split("\n") if line]


def scenario(member="c", subtopology="0"):
    return {
        "segue": "scenario/1",
        "name": f"one more {member}",
        "group": {
            "segue": "group/1",
            "subtopologies": [{"id": subtopology, "partitions": 4, "state_bytes": 100000000}],
            "members": [{"id": "a"}, {"id": "b"}, {"id": member}],
        },
        "actions": [{"at_ms": 1000, "do": "start", "member": member}],
    }


class Report(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.page = self.folder / "out.html"
        self.events = self.folder / "events.jsonl"

    def enterContext(self, context):
        """As in Python 3.11, for 3.10."""
        entered = context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)
        return entered

    def told(self):
        return [json.loads(line) for line in self.events.read_text().split("\n") if line]

    def test_a_simulations_page_has_the_events_of_the_run(self):
        done = run("simulate", "--preset", "scale-in", "--events", self.events, "--report", self.page)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(inside(self.page), self.told())

    def test_it_is_made_without_a_file_of_events_as_well(self):
        run("simulate", "--preset", "scale-out", "--events", self.events)
        done = run("simulate", "--preset", "scale-out", "--report", self.page)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(inside(self.page), self.told())

    def test_decisions_are_those_of_the_plans(self):
        run("simulate", "--preset", "scale-out", "--report", self.page)
        rows = [row for row in inside(self.page) if row.get("event") == "decision"]
        self.assertEqual({row["reason"] for row in rows}, {"no-owner", "below-quota", "caught-up", "best-copy"})
        first = next(row for row in rows if row["reason"] == "below-quota")
        self.assertRegex(
            first["text"], rf"^{first['to']} holds 0 of its quota of \d+; {first['from']} holds \d+ of \d+$"
        )

    def test_a_comparison_has_a_run_for_each_column(self):
        options = ("--preset", "scale-out", "--assignors", "learner,sticky", "--modes", "eager,stable", "--seeds", "2")
        done = run("compare", *options, "--report", self.page)
        self.assertEqual(done.returncode, 0, done.stderr)
        heads = [row for row in inside(self.page) if "segue" in row]
        self.assertEqual(
            [(head["assignor"], head["mode"], head["seed"], head["seeds"]) for head in heads],
            [
                (assignor, mode, seed, 2)
                for seed in (1, 2)
                for assignor in ("learner", "sticky")
                for mode in ("eager", "stable")
            ],
        )

    def test_runs_that_are_too_much_for_a_browser_leave_their_figures(self):
        options = ("--preset", "spot-kills", "--tasks", "1500", "--members", "20", "--assignors", "eager")
        done = run("compare", *options, "--seeds", "3", "--json", "--report", self.page)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("has the figures of all 3 seeds and the events of 1", done.stderr)
        rows = inside(self.page)
        self.assertEqual([row["segue"] for row in rows if "segue" in row], ["events/1", "figures/1", "figures/1"])
        (column,) = json.loads(done.stdout)["columns"]
        self.assertEqual([row["figures"] for row in rows[-2:]], column["runs"][1:])
        # Those of two seeds are too many; what was written of the second before that was seen is gone.
        run("simulate", *options[:-2], "--assignor", "eager", "--events", self.events)
        self.assertEqual(rows[1:-2], self.told()[1:])

    def test_a_long_name_is_told_whole(self):
        document = {**scenario(), "name": "ü" * 50}
        done = run("compare", "--json", "--assignors", "learner", "-", text=json.dumps(document))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["name"], "ü" * 50)

    def test_no_name_ends_the_element(self):
        document = json.dumps(scenario(HOSTILE, HOSTILE))
        done = run("simulate", "--events", self.events, "--report", self.page, "-", text=document)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(inside(self.page), self.told())
        self.assertIn(HOSTILE, [member["id"] for member in inside(self.page)[0]["members"]])

    def test_files_of_events_are_put_together(self):
        run("simulate", "--preset", "scale-out", "--events", self.events)
        done = run("report", "--out", self.page, self.events, self.events)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(inside(self.page), self.told() * 2)

    def test_what_is_no_file_of_events_is_refused_with_its_line(self):
        head = '{"segue":"events/1","assignor":"x","tasks":[],"members":[]}\n'
        for text, words in (
            ("", "there are no events in it"),
            ("{}", "line 1: no head of a file of events"),
            (head + "\n{", "line 3: this is no JSON"),
            (head + '{"at_us":"now","event":"end"}', 'line 2: an event needs "event" and "at_us"'),
        ):
            with self.subTest(text=text):
                done = run("report", "--out", self.page, "-", text=text)
                self.assertEqual(done.returncode, 1)
                self.assertIn(words, done.stderr)
                self.assertFalse(self.page.exists())
        self.assertEqual(run("report").returncode, 2)
        self.assertIn("No such file", run("simulate", "--preset", "scale-out", "--report", "/no/where").stderr)

    def test_what_the_page_would_not_understand_is_refused_with_its_line(self):
        run("simulate", "--preset", "scale-in", "--members", 2, "--tasks", 3, "--events", self.events)
        lines = self.events.read_text().splitlines()
        head = json.loads(lines[0])
        at = next(number for number, line in enumerate(lines) if '"run"' in line)
        event = json.loads(lines[at])
        heads = (
            ({"tasks": [5, None, {"id": 7}]}, "tasks[0].id: missing"),
            ({"tasks": [{"id": 7, "stateful": True, "state_bytes": 1}]}, "tasks[0].id: a text is needed"),
            ({"tasks": [{**head["tasks"][0], "state_bytes": None}]}, "tasks[0].state_bytes: a number >= 0"),
            ({"tasks": head["tasks"][:1] * 2}, "tasks[1].id: it is there twice"),
            ({"members": [{"id": "a"}]}, "members[0].threads: missing"),
            ({"members": "all"}, "no head of a file of events"),
            ({"name": {"a": 1}}, "name: a text is needed"),
            ({"until_us": -1}, "until_us: a number >= 0"),
        )
        events = (
            ({"task": "9_9"}, 'task: the head names no "9_9"'),
            ({"member": "nobody"}, 'member: the head names no "nobody"'),
            ({"member": None}, "member: a text is needed"),
            ({"event": "bogus"}, 'event: "bogus" is no event'),
            ({"event": "role", "role": "king"}, "role: active, standby"),
            ({"event": "role"}, "role: missing"),
            ({"at_us": -5}, "at_us: a whole number"),
            ({"at_us": 2**60}, "at_us: a whole number"),
            ({"lag_bytes": "much"}, "lag_bytes: a number >= 0"),
        )
        for number, base, changes in ((0, head, heads), (at, event, events)):
            for change, words in changes:
                with self.subTest(change=change):
                    changed = [*lines[:number], json.dumps({**base, **change}), *lines[number + 1 :]]
                    done = run("report", "--out", self.page, "-", text="\n".join(changed))
                    self.assertEqual(done.returncode, 1, done.stderr)
                    self.assertIn(f"standard input: line {number + 1}: {words}", done.stderr)
                    self.assertFalse(self.page.exists())
        late = json.dumps({**event, "at_us": 2**50})
        done = run("report", "--out", self.page, "-", text="\n".join([*lines[:-1], late, lines[-1]]))
        self.assertIn(f"line {len(lines) + 1}: at_us: ", done.stderr)
        self.assertIn("before 1125899906842624 of the line above", done.stderr)

    def test_what_the_demo_wrote_is_understood(self):
        demo = pathlib.Path(__file__).resolve().parents[2] / "report/test/demo.jsonl"
        done = run("report", "--out", self.page, demo)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_full_disk_is_no_report(self):
        done = run("simulate", "--preset", "scale-out", "--report", "/dev/full")
        self.assertEqual(done.returncode, 1)
        self.assertIn("could not be written in full", done.stderr)

    def record(self, *groups):
        """What a host would record that is asked about these groups, one behind the other."""
        record = self.folder / "plans.rec"
        for group in groups:
            done = run("assign", "--assignor", "learner", "-", text=json.dumps(group), SEGUE_RECORD_PATH=str(record))
            self.assertEqual(done.returncode, 0, done.stderr)
        return record

    @staticmethod
    def member(name, active=(), **copies):
        return {"id": name, "active": list(active), **copies}

    def group(self, *members):
        return {"segue": "group/1", "subtopologies": [{"id": 0, "partitions": 2}], "members": list(members)}

    def test_a_record_is_told_as_it_was_asked_and_answered(self):
        learning = self.member("b", learner=["0_1"], lag={"0_1": 20000})
        caught_up = self.member("b", learner=["0_1"], lag={"0_1": 5})
        record = self.record(
            self.group(self.member("a", ["0_0", "0_1"])),
            self.group(self.member("a", ["0_0", "0_1"]), learning),
            self.group(self.member("a", ["0_0", "0_1"]), caught_up),
            self.group(self.member("a", ["0_0"]), caught_up),
            self.group(self.member("b", ["0_1"])),
        )
        done = run("replay", record, "--report", self.page)
        self.assertEqual(done.returncode, 0, done.stderr)
        head, *rows = inside(self.page)
        self.assertEqual((head["source"], head["lag_unit"], head["acceptable_bytes"]), ("recording", "records", 10000))
        causes = [row["cause"] for row in rows if row["event"] == "rebalance"]
        self.assertEqual(causes, ["begin", "joined", "follow-up", "revoked", "left"])
        of_second = [
            (row["event"], row["member"], row.get("role"))
            for row in rows
            if row.get("task") == "0_1" and "member" in row
        ]
        self.assertEqual(
            of_second,
            [
                ("role", "a", "active"),
                ("run", "a", None),
                ("role", "b", "learner"),
                ("lag", "b", None),
                ("stop", "a", None),
                ("role", "a", "dormant"),
                ("lag", "b", None),
                ("role", "b", "active"),
                ("run", "b", None),
                ("role", "a", "none"),
            ],
        )
        self.assertIn(
            "b is caught up on 0_1: 5 records behind, 10000 are acceptable", [row.get("text") for row in rows]
        )

    def alone(self, name, tasks=("0_0", "0_1")):
        return self.group(self.member(name, tasks))

    def groups_told(self, *steps):
        """The members of each group that a record of these steps is told as."""
        record = self.record(*steps)
        done = run("replay", record, "--report", self.page)
        self.assertEqual(done.returncode, 0, done.stderr)
        record.unlink()
        rows = inside(self.page)
        self.assertEqual(sum(row.get("event") == "rebalance" for row in rows), len(steps))
        return [
            (row["name"], [member["id"] for member in row["members"]]) for row in rows if row.get("segue") == "events/1"
        ]

    def test_groups_that_share_a_record_are_told_apart(self):
        orders, bills = self.alone("orders-1"), self.alone("bills-1")
        both = self.group(self.member("orders-1", ["0_0"]), self.member("orders-2", ["0_1"]))
        self.assertEqual(
            self.groups_told(orders, bills, both, bills),
            [
                ("plans.rec, group 1 of 2 (orders-1 …)", ["orders-1", "orders-2"]),
                ("plans.rec, group 2 of 2 (bills-1 …)", ["bills-1"]),
            ],
        )

    def test_members_of_one_name_without_a_task_in_common_are_of_two_groups(self):
        other = {
            "segue": "group/1",
            "subtopologies": [{"id": "clicks", "partitions": 1}],
            "members": [self.member("pod-1", ["clicks_0"])],
        }
        told = self.groups_told(self.alone("pod-1"), other, self.alone("pod-1"))
        self.assertEqual([members for _, members in told], [["pod-1"], ["pod-1"]])

    def test_whom_a_later_step_brings_together_are_of_one_group(self):
        both = self.group(self.member("a", ["0_0"]), self.member("b", ["0_1"]))
        self.assertEqual(self.groups_told(self.alone("a"), self.alone("b"), both), [("plans.rec", ["a", "b"])])

    def test_a_group_that_was_started_anew_goes_on(self):
        old, new = self.alone("old"), self.alone("new")
        self.assertEqual(self.groups_told(old, old, new, new), [("plans.rec", ["old", "new"])])

    def test_where_nobody_can_tell_which_group_goes_on_it_is_a_new_one(self):
        told = self.groups_told(self.alone("a"), self.alone("b"), self.alone("a"), self.alone("b"), self.alone("c"))
        self.assertEqual([members for _, members in told], [["a"], ["b"], ["c"]])

    def test_a_record_without_steps_and_a_pipe_are_no_report(self):
        empty, pipe = self.folder / "plans.rec", self.folder / "pipe"
        empty.touch()
        done = run("replay", empty, "--report", self.page)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1))
        self.assertIn("nothing is recorded in it", done.stderr)
        os.mkfifo(pipe)
        # Opened for both, so that nobody waits for the other end.
        held = os.open(pipe, os.O_RDWR)
        self.addCleanup(os.close, held)
        self.assertIn("not in a device or a pipe", run("replay", pipe, "--report", self.page).stderr)
        self.assertFalse(self.page.exists())

    def test_what_is_read_is_not_overwritten(self):
        record = self.record(self.group(self.member("a", ["0_0"])))
        mine, events = self.folder / "mine.json", self.folder / "events.jsonl"
        mine.write_text(json.dumps(scenario()))
        self.assertEqual(run("simulate", mine, "--events", events).returncode, 0)
        other_name = self.folder / "other"
        other_name.symlink_to(events)
        for written, read, command in (
            (events, events, ("report", events, "--out", events)),
            (other_name, events, ("report", events, "--out", other_name)),
            (record, record, ("replay", record, "--report", record)),
            (mine, mine, ("simulate", mine, "--events", mine)),
            (mine, mine, ("simulate", mine, "--report", mine)),
            (mine, mine, ("compare", mine, "--report", mine)),
        ):
            with self.subTest(command=command):
                before = read.read_bytes()
                done = run(*command)
                self.assertEqual(done.returncode, 2)
                self.assertIn(f"{written}: this file is read and would be overwritten", done.stderr)
                self.assertEqual(read.read_bytes(), before)

    def test_events_and_page_are_two_files_that_can_be_read(self):
        # Each of these went on for ever once, and most of them filled the disk.
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        for events, page in ((self.page, self.page), ("/dev/full", self.page), (pipe, self.page)):
            with self.subTest(events=events):
                done = run("simulate", "--preset", "scale-out", "--events", events, "--report", page)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1)
                self.assertIn(f"{events}: ", done.stderr)

    def test_a_record_that_is_broken_is_no_report(self):
        record = self.record(self.group(self.member("a", ["0_0", "0_1"])))
        record.write_bytes(record.read_bytes()[:-8])
        done = run("replay", record, "--report", self.page)
        self.assertEqual(done.returncode, 1)
        self.assertFalse(self.page.exists())


if __name__ == "__main__":
    main()
