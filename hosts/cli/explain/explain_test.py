#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `segue explain` claims, held against the group and the plan, on every situation of tests/cases.

explain_test.py SEGUE TEST_PLUGINS
"""

import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "test"))

from program import main, run

ROOT = pathlib.Path(__file__).resolve().parents[3]
CASES = sorted((ROOT / "tests/cases").glob("*.json"))
ASSIGNORS = ("learner", "scale-down", "balanced", "sticky")
TASKS_A_CASE = 2
plugins = pathlib.Path(".")


def explain(group, *options):
    done = run("explain", "--json", *options, "-", text=json.dumps(group))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class Situation:
    """A group and an assignor's plan, as a reader of both documents sees them."""

    def __init__(self, group, assignor):
        self.group, self.assignor = group, assignor
        self.plan = json.loads(run("assign", "--assignor", assignor, "-", text=json.dumps(group)).stdout)
        self.members = {member["id"]: member for member in group["members"]}
        self.stateful = {
            f"{row['id']}_{number}": row.get("stateful", True)
            for row in group.get("subtopologies", [])
            for number in range(row["partitions"])
        }
        self.stateful |= {task["id"]: task.get("stateful", True) for task in group.get("tasks", [])}
        self.target = {task: row["id"] for row in self.plan["members"] for task in row["active"]}
        self.target |= {task: row["id"] for row in self.plan["members"] for task in row["learner"]}
        knows_leaving = assignor in ("scale-down", "balanced")
        self.leaving = {name for name, member in self.members.items() if knows_leaving and member.get("leaving")}

    def threads(self, name):
        every = [member.get("threads", 1) for member in self.members.values()]
        return self.members[name].get("threads", 1) if any(every) else 1

    def load(self, name, task):
        return sum(
            target == name and self.stateful[other] == self.stateful[task] for other, target in self.target.items()
        )

    def quota(self, name, task):
        kind = sum(one == self.stateful[task] for one in self.stateful.values())
        total = sum(self.threads(one) for one in self.members if one not in self.leaving)
        return 0 if name in self.leaving or not total else -(-kind * self.threads(name) // total)

    def has(self, name, task):
        member = self.members[name]
        return any(task in member.get(key, ()) for key in ("active", "standby", "learner", "lag"))

    def owners(self, task):
        return [name for name, member in self.members.items() if task in member.get("active", ())]

    def is_weighed(self):
        rows = self.group.get("subtopologies", []) + self.group.get("tasks", [])
        return len({row.get("weight", 1) for row in rows}) > 1


TRUE = {
    "no-threads": lambda it, task, name, chosen: it.threads(name) == 0,
    "leaving": lambda it, task, name, chosen: name in it.leaving,
    "no-gain": lambda it, task, name, chosen: (
        chosen in it.owners(task) and it.load(chosen, task) <= it.quota(chosen, task)
    ),
    "above-quota": lambda it, task, name, chosen: (
        chosen in it.owners(task) and it.load(chosen, task) > it.quota(chosen, task)
    ),
    "keeps": lambda it, task, name, chosen: chosen in it.owners(task) and it.is_weighed(),
    "owns-others": lambda it, task, name, chosen: any(it.stateful.get(one) for one in it.members[name]["active"]),
    "full": lambda it, task, name, chosen: it.load(name, task) >= it.quota(name, task),
    "no-copy": lambda it, task, name, chosen: it.has(chosen, task) and not it.has(name, task),
    "further-behind": lambda it, task, name, chosen: it.has(chosen, task) and it.has(name, task),
    "weight": lambda it, task, name, chosen: it.is_weighed(),
    "tie": lambda it, task, name, chosen: not it.is_weighed(),
}


class Claims(unittest.TestCase):
    """Every reason is checked where it is given."""

    def test_why_not_another_member(self):
        seen = set()
        self.assertGreater(len(CASES), 80)
        for path in CASES:
            case = json.loads(path.read_text())
            for assignor in ASSIGNORS:
                seen |= self.check(path.name, Situation(case["group"], assignor))
        self.assertLessEqual({"leaving", "no-gain", "owns-others", "full", "no-copy"}, seen)

    def check(self, name, it):
        seen = set()
        for task in sorted(it.stateful)[:TASKS_A_CASE]:
            found = explain(it.group, "--assignor", it.assignor, "--task", task)["tasks"][0]
            chosen = found["learner"] or found["active"]
            others = {member for member in it.members if member not in (chosen, found["active"])}
            self.assertEqual({one["member"] for one in found["alternatives"]}, others)
            for one in found["alternatives"]:
                with self.subTest(case=name, assignor=it.assignor, task=task, member=one["member"]):
                    self.assertTrue(TRUE[one["reason"]](it, task, one["member"], chosen), one)
                    self.assertNotIn("{", one["text"])
                seen.add(one["reason"])
        return seen


GROUP = {
    "segue": "group/1",
    "subtopologies": [{"id": 0, "partitions": 4, "state_bytes": 1000}],
    "members": [{"id": "a", "active": ["0_0", "0_1"]}, {"id": "b", "active": ["0_2", "0_3"]}, {"id": "c"}],
}

# Two own six tasks each, and a third one gets every third of them, two at a time.
DEALT = {
    "segue": "group/1",
    "subtopologies": [{"id": 0, "partitions": 12}],
    "members": [
        {"id": "a", "active": [f"0_{one}" for one in range(0, 12, 2)]},
        {"id": "b", "active": [f"0_{one}" for one in range(1, 12, 2)]},
        {"id": "c"},
    ],
}


class Words(unittest.TestCase):
    """What people read."""

    def test_a_task_that_is_learned(self):
        done = run("explain", "--task", "0_3", "-", text=json.dumps(GROUP))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("0_3 stays on b, c learns it\n", done.stdout)
        self.assertIn("    learn: c holds 0 of its quota of 1; b holds 2 of 1 (below-quota)\n", done.stdout)
        self.assertIn("not a: a owns tasks already, and only new members learn here; 1000 bytes", done.stdout)
        self.assertNotIn("\033", done.stdout)

    def test_a_member(self):
        done = run("explain", "--member", "c", "-", text=json.dumps(GROUP))
        self.assertRegex(done.stdout, r"\nc: owns 1 task with state .* quotas are 2 and 0\n  0_3\n")

    def test_what_is_missing(self):
        def hints(**change):
            return {hint["hint"] for hint in explain({**GROUP, **change}, "--assignor", "scale-down")["hints"]}

        members = GROUP["members"]
        self.assertEqual(hints(), set())
        self.assertEqual(hints(config={"num.standby.replicas": 3}), {"few-processes"})
        self.assertEqual(hints(config={"segue.max.learners": 0}), {"held-back"})
        self.assertEqual(hints(members=[*members[:1], {**members[1], "lag": {"0_2": 99999}}, members[2]]), {"down"})
        self.assertEqual(hints(members=[{**one, "leaving": {"since_ms": 0}} for one in members]), {"nobody-stays"})
        self.assertEqual(hints(members=[*members, {"id": "d", "learner": ["0_1"]}]), {"unknown-lag"})
        self.assertEqual(hints(members=[*members, {"id": "d"}, {"id": "e"}]), {"idle"})

    def test_racks_where_high_availability_does_not_heed_them(self):
        group = json.loads((ROOT / "packaging/examples/racks.json").read_text())

        def hints(assignor):
            return {hint["hint"]: hint["text"] for hint in explain(group, "--assignor", assignor)["hints"]}

        self.assertEqual(hints("high-availability"), {})
        group["config"]["num.standby.replicas"] = 1
        self.assertEqual(hints("high-availability").keys(), {"standbys-without-racks"})
        self.assertEqual(hints("balanced"), {})
        del group["members"][0]["rack"], group["tasks"][1]["partitions"]
        texts = [hint["text"] for hint in explain(group, "--assignor", "high-availability")["hints"]]
        self.assertIn("1 member is in no rack that is known: ", texts[0])
        self.assertIn("1 task has inputs whose racks are not known", texts[1])
        group["members"][0]["threads"] = 0
        self.assertIn("1 task has", hints("high-availability")["racks-unknown"])
        self.assertEqual(hints("balanced"), {})
        group["config"]["rack.aware.assignment.strategy"] = "none"
        self.assertEqual(hints("high-availability"), {})

    def test_processes_in_several_racks(self):
        group = json.loads((ROOT / "packaging/examples/racks.json").read_text())

        def apart():
            hints = explain(group, "--assignor", "high-availability")["hints"]
            return [hint["text"].split(":")[0] for hint in hints if hint["hint"] == "racks-apart"]

        first, second = group["members"][0], next(one for one in group["members"] if one["rack"] != "a")
        self.assertEqual((first["rack"], apart()), ("a", []))
        first["process"] = second["process"] = "both"
        self.assertEqual(apart(), ["1 process has members in more than one rack"])
        second["leaving"] = {"since_ms": 0, "deadline_ms": 0}
        self.assertEqual(apart(), [])

    def test_what_no_budget_helps(self):
        tasks = [
            {"id": f"{one}_0", "partitions": [{"topic": f"{one}", "partition": 0, "racks": ["ab"[one % 2]]}]}
            for one in range(400)
        ]
        members = [{"id": f"{one:03}", "rack": "ab"[one // 2 % 2]} for one in range(400)]
        group = {"segue": "group/1", "tasks": tasks, "members": members}
        group["config"] = {"rack.aware.assignment.strategy": "balance_subtopology"}

        def hints():
            return [hint["hint"] for hint in explain(group, "--assignor", "high-availability")["hints"]]

        self.assertEqual(hints(), ["too-large"])
        group["members"] = members[:320]
        self.assertNotIn("too-large", hints())

    def test_an_assignor_without_quotas(self):
        done = run("explain", "--assignor", "high-availability", "--task", "0_2", "-", text=json.dumps(DEALT))
        self.assertIn("0_2 stays on a, c learns it\n", done.stdout)
        self.assertRegex(done.stdout, r"not b: this assignor goes by no quota, and 0_2 is for c .* \(no-quota\)\n$")
        done = run("explain", "--assignor", "high-availability", "--member", "c", "-", text=json.dumps(DEALT))
        head = "\nc: owns 1 task with state and 0 without when what is learned now is handed over\n"
        self.assertIn(head, done.stdout)

    def test_an_assignor_without_decisions(self):
        chosen = ("--assignor", "steady", "--plugin", plugins / "sound.so")
        group = {
            "segue": "group/1",
            "subtopologies": [{"id": 0, "partitions": 3}],
            "members": [{"id": "a", "active": ["0_0"]}, {"id": "b", "active": ["0_2"]}],
        }
        done = run("explain", *chosen, "-", text=json.dumps(group))
        self.assertTrue(done.stdout.endswith("\n\n0_1 is placed on a\n2 tasks stay as they are\n"), done.stdout)
        self.assertEqual([task["task"] for task in explain(group, *chosen)["tasks"]], ["0_1"])
        for member, tasks in (("a", ["0_1"]), ("b", [])):
            self.assertEqual([task["task"] for task in explain(group, *chosen, "--member", member)["tasks"]], tasks)
            done = run("explain", *chosen, "--member", member, "-", text=json.dumps(group))
            self.assertEqual("  0_1 is placed on a\n" in done.stdout, bool(tasks))

    def test_names_that_are_not_there(self):
        group = {
            "segue": "group/1",
            "subtopologies": [{"id": 0, "partitions": 10}],
            "members": [{"id": "a"}, {"id": "b\x1b[31m"}],
        }
        says = {"task": "0_0, 0_1, 0_2, 0_3, 0_4, 0_5, 0_6, 0_7 and 2 more", "member": "a, b?[31m"}
        for kind, names in says.items():
            done = run("explain", f"--{kind}", "x", "-", text=json.dumps(group))
            what = f'segue: explain: --{kind}: the group has no {kind} "x"; there are {names}\n'
            self.assertEqual((done.returncode, done.stdout, done.stderr), (1, "", what))
        both = run("explain", "--task", "0_0", "--member", "a", "-", text=json.dumps(GROUP))
        self.assertEqual(both.returncode, 2)
        self.assertEqual(run("explain", "--assignor", "x", "-", text=json.dumps(GROUP)).returncode, 3)
        self.assertEqual(run("explain", "-", text="{").returncode, 1)

    def test_names_with_anything_in_them(self):
        odd = 'x"\\{member}\n'
        group = {
            "segue": "group/1",
            "subtopologies": [{"id": 0, "partitions": 1}],
            "members": [{"id": odd}, {"id": "y"}],
        }
        with tempfile.NamedTemporaryFile("w") as file:
            json.dump(group, file)
            file.flush()
            self.assertEqual(run("explain", "--task", "0_0", file.name).returncode, 0)
        self.assertEqual(explain(group, "--task", "0_0")["tasks"][0]["active"], odd)


if __name__ == "__main__":
    plugins = pathlib.Path(sys.argv.pop(2))
    main()
