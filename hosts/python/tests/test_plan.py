# SPDX-License-Identifier: Apache-2.0
import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import segue
from segue import Group, Leaving, Member, Subtopology


@pytest.fixture
def typed() -> Group:
    """Four tasks on two members, and a third that has just joined; one standby is wanted."""
    return Group(
        subtopologies=(Subtopology(0, 4),),
        config={"num.standby.replicas": 1},
        members=(Member("S1", active=("0_0", "0_1")), Member("S2", active=("0_2", "0_3")), Member("S3")),
    )


def test_a_plan_is_typed_and_stays_a_dict(host: segue.Host, typed: Group) -> None:
    """Every part is to be had both ways, with the same content."""
    plan = host.assign("learner", typed)
    assert [(row.id, list(row.active), list(row.standby), list(row.learner)) for row in plan.members.values()] == [
        (row["id"], row["active"], row["standby"], row["learner"]) for row in plan["members"]
    ]
    assert [(one.task, one.giver, one.taker, one.text) for one in plan.decisions] == [
        (row["task"], row["from"], row["to"], row["text"]) for row in plan["decisions"]
    ]
    assert plan.followup.reason == plan["followup"]["reason"] == "learners-restoring"
    assert (plan.stats.moves, plan.stats.min_moves) == (plan["stats"]["moves"], plan["stats"]["min_moves"]) == (0, 1)
    assert json.loads(json.dumps(plan)) == plan


def test_every_figure_of_the_document_is_typed(host: segue.Host, typed: Group) -> None:
    """Stats has a field for each figure that this libsegue gives."""
    plan = host.assign("learner", typed)
    assert {key: getattr(plan.stats, key) for key in plan["stats"]} == plan["stats"]


def test_a_newcomer_learns(host: segue.Host, typed: Group) -> None:
    """The typed plan reads as the sentence about it."""
    plan = host.assign("learner", typed)
    assert len(plan.members["S3"].learner) == 1
    assert plan.members["S1"].active == ("0_0", "0_1")


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda plan: pickle.loads(pickle.dumps(plan))])
def test_a_plan_is_data(host: segue.Host, typed: Group, duplicate: Callable[[Any], Any]) -> None:
    """A plan is copied and pickled with its report."""
    plan = host.assign("learner", typed)
    twin = duplicate(plan)
    assert (twin, twin.report, twin.decisions) == (plan, plan.report, plan.decisions)


def test_explain_says_why_a_task_moves(host: segue.Host, typed: Group) -> None:
    """The decisions about one task come with sentences that name the members and their quotas."""
    (learner,) = host.assign("learner", typed).members["S3"].learner
    learns = [one for one in host.explain("learner", typed, task=learner) if one.kind == "learn"]
    assert [(one.taker, one.reason) for one in learns] == [("S3", "below-quota")]
    assert "S3" in learns[0].text
    assert str(learns[0]) == f"{learner} learn: {learns[0].text}"


def test_explain_says_what_concerns_a_member(host: segue.Host, typed: Group) -> None:
    """A member's decisions are those in which it gives or takes."""
    found = host.explain("learner", typed, member="S3")
    assert found
    assert all("S3" in (one.giver, one.taker) for one in found)


def test_explain_of_both_is_what_is_between_them(host: segue.Host, typed: Group) -> None:
    """Task and member together narrow down; neither gives everything."""
    everything = host.explain("learner", typed)
    one = everything[0]
    narrowed = host.explain("learner", typed, task=one.task, member=one.taker)
    assert one in narrowed
    assert everything == host.assign("learner", typed).decisions
    assert set(narrowed) < set(everything)


def test_what_stays_needs_no_explanation(host: segue.Host) -> None:
    """A group at rest has no decisions, for a known task as well."""
    group = Group(subtopologies=(Subtopology(0, 1),), members=(Member("S1", active=("0_0",)),))
    assert host.explain("learner", group, task="0_0") == ()


@pytest.mark.parametrize("asked", [{"task": "9_9"}, {"member": "nobody"}])
def test_explain_names_what_there_is(host: segue.Host, typed: Group, asked: dict[str, Any]) -> None:
    """An unknown task or member is an InputError that lists known ones."""
    with pytest.raises(segue.InputError, match=r"0_0|S1") as caught:
        host.explain("learner", typed, **asked)
    assert caught.value.path == next(iter(asked))


def test_a_leaving_member_is_drained(host: segue.Host) -> None:
    """A typed mark reaches the assignor: its tasks are learned elsewhere."""
    group = Group(
        now_ms=1000,
        subtopologies=(Subtopology(0, 2),),
        members=(Member("S1", active=("0_0", "0_1"), leaving=Leaving(since_ms=1000)), Member("S2")),
    )
    plan = host.assign("scale-down", group)
    assert set(plan.members["S2"].learner) == {"0_0", "0_1"}
    assert plan.followup.needed
