# SPDX-License-Identifier: Apache-2.0
"""Whatever dict is given: a plan that accounts for every task and member, or one of our exceptions."""

import contextlib
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import segue

TASKS = [f"{sub}_{partition}" for sub in (0, 1) for partition in range(5)]

members = st.lists(
    st.fixed_dictionaries(
        {
            "id": st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=5),
            "threads": st.integers(0, 3),
        },
        optional={
            "process": st.sampled_from(["p", "q"]),
            "active": st.lists(st.sampled_from(TASKS), unique=True, max_size=4),
            "standby": st.lists(st.sampled_from(TASKS), unique=True, max_size=3),
            "lag": st.dictionaries(st.sampled_from(TASKS), st.none() | st.integers(0, 2**40), max_size=4),
        },
    ),
    min_size=1,
    max_size=5,
    unique_by=lambda member: str(member["id"]),
)
groups = st.fixed_dictionaries(
    {
        "segue": st.just("group/1"),
        "subtopologies": st.just([{"id": 0, "partitions": 5}, {"id": 1, "partitions": 4, "stateful": False}]),
        "config": st.fixed_dictionaries({"num.standby.replicas": st.integers(0, 2)}),
        "members": members,
    }
)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
keys = st.sampled_from(["segue", "now_ms", "config", "subtopologies", "tasks", "members"]) | st.text(max_size=6)


@settings(max_examples=200)
@given(group=groups, assignor=st.sampled_from(["eager", "sticky", "learner"]))
def test_every_task_has_one_owner(group: dict[str, Any], assignor: str) -> None:
    """A group that a runtime can report is answered by a plan with each member once and each task active once."""
    with segue.load() as host:
        plan = host.assign(assignor, group)
    assert [member["id"] for member in plan["members"]] == [member["id"] for member in group["members"]]
    active = sorted(task for member in plan["members"] for task in member["active"])
    assert active == [f"0_{n}" for n in range(5)] + [f"1_{n}" for n in range(4)]


@settings(max_examples=300)
@given(group=st.dictionaries(keys, anything, max_size=6), version=st.booleans())
def test_no_dict_crashes(group: dict[str, Any], version: bool) -> None:
    """A dict of anything is refused by an InputError, or answered."""
    if version:
        group["segue"] = "group/1"
    with segue.load() as host, contextlib.suppress(segue.InputError):
        assert host.assign("learner", group)["segue"] == "plan/1"
