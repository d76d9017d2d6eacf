# SPDX-License-Identifier: Apache-2.0
import dataclasses
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import segue
from segue import Group, InputPartition, Leaving, Member, Subtopology, Task

ids = st.sampled_from([f"{sub}_{partition}" for sub in (0, 1) for partition in range(4)])
tuples_of_ids = st.lists(ids, unique=True, max_size=3).map(tuple)
words = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=6)
leaving = st.builds(Leaving, since_ms=st.integers(0, 9), deadline_ms=st.none() | st.integers(10, 99))
members = st.builds(
    Member,
    words,
    process=st.none() | st.sampled_from(["p", "q"]),
    threads=st.integers(0, 3),
    rack=st.none() | words,
    tags=st.dictionaries(words, words, max_size=2),
    active=tuples_of_ids,
    standby=tuples_of_ids,
    learner=tuples_of_ids,
    lag=st.dictionaries(ids, st.none() | st.integers(0, 2**40), max_size=3),
    leaving=st.none() | leaving,
)
tasks = st.builds(
    Task,
    ids,
    stateful=st.booleans(),
    weight=st.floats(0.5, 9),
    state_bytes=st.none() | st.integers(0, 2**50),
    partitions=st.lists(
        st.builds(InputPartition, words, st.integers(0, 9), racks=st.lists(words, unique=True, max_size=2).map(tuple)),
        max_size=2,
    ).map(tuple),
)
subtopologies = st.builds(
    Subtopology, st.integers(0, 1), st.integers(1, 4), stateful=st.booleans(), weight=st.floats(0.5, 9)
)
groups = st.builds(
    Group,
    now_ms=st.integers(0, 2**40),
    config=st.fixed_dictionaries({}, optional={"num.standby.replicas": st.integers(0, 2), "foreign": words}),
    subtopologies=st.lists(subtopologies, max_size=2, unique_by=lambda one: one.id).map(tuple),
    tasks=st.lists(tasks, max_size=3, unique_by=lambda one: one.id).map(tuple),
    members=st.lists(members, min_size=1, max_size=4, unique_by=lambda one: one.id).map(tuple),
)


@settings(max_examples=200)
@given(group=groups)
def test_a_group_comes_back_from_its_document(group: Group) -> None:
    """Group.of(group.document()) is the group, through JSON too."""
    assert Group.of(json.loads(json.dumps(group.document()))) == group


@settings(max_examples=100)
@given(group=groups)
def test_a_typed_group_is_answered_as_its_document_is(group: Group) -> None:
    """Whether a group is typed or a dict makes no difference to the plan, nor to the words of a refusal."""

    def answer(asked: Group | dict[str, Any]) -> object:
        try:
            plan = host.assign("learner", asked)
        except segue.InputError as fault:
            return fault.text
        return {key: value for key, value in plan.items() if key != "stats"}

    with segue.load() as host:
        assert answer(group) == answer(group.document())


def test_what_has_its_default_is_left_out() -> None:
    """A document says no more than is needed."""
    group = Group(subtopologies=(Subtopology(0, 4),), members=(Member("S1"),))
    assert group.document() == {
        "segue": "group/1",
        "members": [{"id": "S1"}],
        "subtopologies": [{"id": 0, "partitions": 4}],
    }


def test_a_group_document_becomes_typed(group: dict[str, Any]) -> None:
    """Members and subtopologies of a document are objects, lists are tuples."""
    typed = Group.of(group)
    assert typed.members[0] == Member("S1", active=("0_0", "0_1"))
    assert typed.subtopologies == (Subtopology(0, 4),)


def test_notes_of_the_author_are_ignored(group: dict[str, Any]) -> None:
    """Keys that begin with x- are nobody's."""
    group["x-why"] = group["members"][0]["x-why"] = "because"
    assert len(Group.of(group).members) == 3


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"members": [{"id": "S1", "thread": 2}]}, "members[0].thread"),
        ({"members": [{"id": "S1"}, 7]}, "members[1]"),
        ({"members": [{"id": "S1", "leaving": {}}]}, "members[0].leaving"),
        ({"members": [{"id": "S1", "leaving": {"since_ms": 1, "until": 2}}]}, "members[0].leaving.until"),
        ({"segue": "group/2"}, "segue"),
        ({"members": {}}, "members"),
        ({"config": []}, "config"),
        ({"tasks": [{"id": "0_0", "partitions": [{"topic": "t"}]}]}, "tasks[0].partitions[0]"),
    ],
)
def test_what_does_not_belong_is_named_by_its_path(group: dict[str, Any], change: dict[str, Any], path: str) -> None:
    """A document that has no typed form is refused with the place of the fault, as libsegue would say it."""
    with pytest.raises(segue.DocumentError) as caught:
        Group.of(group | change)
    assert (caught.value.path, caught.value.code) == (path, "bad-document")


@pytest.mark.parametrize("document", [[], None, "group", 7])
def test_what_is_no_object_is_no_group(document: Any) -> None:
    """Anything but an object is refused as a document, too."""
    with pytest.raises(segue.DocumentError, match="an object is wanted"):
        Group.of(document)


def test_a_value_out_of_range_is_refused_by_libsegue(host: segue.Host) -> None:
    """Types do not check values; the one that does names the place."""
    group = Group(subtopologies=(Subtopology(0, 4),), members=(Member("S1"), Member("S2", threads=-1)))
    with pytest.raises(segue.InputError) as caught:
        host.assign("learner", group)
    assert caught.value.path == "members[1].threads"


def test_a_group_is_not_changed() -> None:
    """The types are frozen and take no further attributes."""
    member = Member("S1")
    with pytest.raises(dataclasses.FrozenInstanceError):
        member.threads = 2  # type: ignore[misc]  # that is the point
    assert not hasattr(member, "__dict__")
    assert dataclasses.replace(member, threads=2).threads == 2
