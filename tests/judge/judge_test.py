#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The judge itself: a plan that breaks a rule is named by that rule, and a good one passes."""

import copy
import pathlib
import sys
import unittest
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from judge.case import least_moves
from judge.group import Group, after
from judge.rules import faults

Document = dict[str, Any]

GROUP: Document = {
    "segue": "group/1",
    "config": {"max.warmup.replicas": 1, "segue.max.learners.per.member": 1},
    "subtopologies": [{"id": 0, "partitions": 3}, {"id": 1, "partitions": 1, "stateful": False}],
    "members": [
        {"id": "a", "process": "p", "active": ["0_0", "0_1"], "lag": {"0_2": 7}},
        {"id": "b", "process": "p", "active": ["0_2", "1_0"]},
        {"id": "c"},
        {"id": "d", "threads": 0},
    ],
}


def plan(**rows: list[str]) -> Document:
    """A good plan with what a test replaces in it, as a_learner=[...]."""
    members: dict[str, Document] = {name: {"id": name, "active": [], "standby": [], "learner": []} for name in "abcd"}
    members["a"]["active"], members["b"]["active"] = ["0_0", "0_1"], ["0_2", "1_0"]
    members["c"]["learner"] = ["0_0"]
    for key, tasks in rows.items():
        name, role = key.split("_")
        members[name][role] = tasks
    return {"members": list(members.values())}


class Rules(unittest.TestCase):
    def broken(self, **rows: Any) -> set[str]:
        return {line.split()[0] for line in faults(Group(GROUP), plan(**rows))}

    def test_a_good_plan_passes(self) -> None:
        self.assertEqual(self.broken(), set())

    def test_a_task_without_an_owner_breaks_r1(self) -> None:
        self.assertEqual(self.broken(b_active=["1_0"]), {"R1"})

    def test_a_task_with_two_owners_breaks_r1(self) -> None:
        self.assertIn("R1", self.broken(c_active=["0_2"]))

    def test_an_unknown_task_breaks_r1(self) -> None:
        self.assertEqual(self.broken(c_standby=["7_7"]), {"R1"})

    def test_a_member_left_out_breaks_r1(self) -> None:
        self.assertIn("R1", faults(Group(GROUP), {"members": plan()["members"][:3]})[0])

    def test_two_copies_in_a_process_break_r2(self) -> None:
        self.assertEqual(self.broken(b_standby=["0_0"]), {"R2"})

    def test_a_copy_of_what_has_no_state_breaks_r3(self) -> None:
        self.assertEqual(self.broken(c_standby=["1_0"]), {"R3"})

    def test_an_active_without_a_thread_breaks_r7(self) -> None:
        self.assertEqual(self.broken(b_active=["1_0"], d_active=["0_2"]), {"R7"})

    def test_learners_above_the_caps_break_r8(self) -> None:
        self.assertEqual(self.broken(c_learner=["0_0", "0_1"]), {"R8"})


class Steps(unittest.TestCase):
    def test_a_learner_that_starts_has_all_still_to_replay(self) -> None:
        following = Group(after(Group(GROUP), plan()))
        self.assertEqual(following.lag("c", "0_0"), 100_000)
        self.assertEqual(following.lag("a", "0_0"), 0)

    def test_a_copy_in_the_same_process_is_found(self) -> None:
        following = Group(after(Group(GROUP), plan(a_active=["0_0"], b_active=["0_1", "0_2", "1_0"])))
        self.assertEqual(following.lag("b", "0_1"), 0)

    def test_dormant_copies_stay_when_they_are_kept(self) -> None:
        self.assertEqual(Group(after(Group(GROUP), plan(), keep_dormant=True)).lag("a", "0_2"), 7)
        self.assertEqual(Group(after(Group(GROUP), plan())).lag("a", "0_2"), "absent")

    def test_least_moves_counts_what_lies_above_the_quota(self) -> None:
        balanced = copy.deepcopy(GROUP)
        balanced["members"] = [*balanced["members"][:2], {"id": "c"}]
        self.assertEqual(least_moves(Group(balanced)), 1)


if __name__ == "__main__":
    unittest.main()
