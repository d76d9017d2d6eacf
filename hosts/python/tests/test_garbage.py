# SPDX-License-Identifier: Apache-2.0
"""Documents with one thing wrong: a plan, or an error that says where and what, whichever way they come in."""

from __future__ import annotations

import copy
import json
import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import segue

CODES = {"bad-document", "bad-group", "bad-config"}

GROUP: dict[str, Any] = {
    "segue": "group/1",
    "now_ms": 1000,
    "config": {
        "num.standby.replicas": 1,
        "stream.imbalance.percentage": 12.5,
        "rack.aware.assignment.tags": ["zone", "host"],
        "rack.aware.assignment.strategy": "min_traffic",
        "segue.spread.subtopologies": True,
        "foreign": "value",
    },
    "subtopologies": [{"id": 0, "partitions": 3}, {"id": "x", "partitions": 2, "stateful": False, "weight": 2.5}],
    "tasks": [
        {"id": "0_1", "weight": 3, "state_bytes": 7},
        {"id": "y_0", "partitions": [{"topic": "t", "partition": 0, "racks": ["r1", "r2"]}]},
    ],
    "members": [
        {"id": "a", "rack": "r1", "threads": 2, "active": ["0_0", "0_2"], "lag": {"0_1": 70000, "0_0": None}},
        {"id": "ü", "process": "p", "tags": {"zone": "z"}, "standby": ["0_0"], "lag": {"0_0": 7}},
        {"id": "b", "process": "p", "learner": ["0_1"], "leaving": {"since_ms": 1, "deadline_ms": 2}},
    ],
}

junk = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([-1, 0, 2**31, 2**32, 2**53, 2**63, 2**64, 10**400, "", "0_0", "a", "\0", "ü" * 300])
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)


def places(value: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to everything that a document holds."""
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    return [more for key in keys for more in ((*way, key), *places(value[key], (*way, key)))]


def changed(way: tuple[Any, ...], how: str, value: Any) -> dict[str, Any]:
    """The group with one thing replaced, left out, said twice or added."""
    document = copy.deepcopy(GROUP)
    holder: Any = document
    for key in way[:-1]:
        holder = holder[key]
    if how == "left out":
        del holder[way[-1]]
    elif how == "twice" and isinstance(holder, list):
        holder.append(copy.deepcopy(holder[way[-1]]))
    elif how == "added" and isinstance(holder, dict):
        holder[f"odd {value}"[:40] if isinstance(value, str) else "odd"] = value
    else:
        holder[way[-1]] = value
    return document


def assert_clear(fault: segue.SegueError) -> None:
    """A stable code, one line that nothing in it can break, and the place: a path, or line and column."""
    assert fault.code in CODES
    assert fault.text
    assert not re.search(r"[\x00-\x1f\x7f]", fault.text)
    placed = fault.path is not None or re.search(r":\d+:\d+: ", fault.text)
    # A key without a letter has no path.
    assert placed or fault.text.startswith("unknown key"), fault.text


@settings(max_examples=400)
@given(way=st.sampled_from(places(GROUP)), how=st.sampled_from(["replaced", "left out", "twice", "added"]), value=junk)
def test_one_thing_that_is_wrong_is_named_by_its_path(way: tuple[Any, ...], how: str, value: Any) -> None:
    """Whatever is replaced, left out, doubled or added in a whole group: a plan, or an error with code and path."""
    document = changed(way, how, value)
    with segue.load() as host:
        try:
            plan = host.assign("balanced", document, warn=False)
        except segue.InputError as fault:
            assert_clear(fault)
        else:
            assert not plan.report.fallback, plan.report


@settings(max_examples=400)
@given(
    start=st.integers(0, 2000),
    length=st.integers(0, 40),
    inserted=st.binary(max_size=6) | st.just(b"[" * 5000),
)
def test_text_that_is_broken_is_placed(start: int, length: int, inserted: bytes) -> None:
    """Bytes cut out of a document and others put in: a plan, or an error with code and the place in the text."""
    whole = json.dumps(GROUP).encode()
    start %= len(whole)
    broken = whole[:start] + inserted + whole[start + length :]
    with segue.load() as host:
        try:
            plan, _ = host.assign_json("balanced", broken)
        except segue.InputError as fault:
            assert_clear(fault)
        else:
            assert json.loads(plan)["segue"] == "plan/1"


@settings(max_examples=200)
@given(text=st.binary(max_size=60) | st.text(max_size=40).map(lambda one: one.encode("utf-8", "surrogatepass")))
def test_bytes_of_anybody_are_no_document(text: bytes) -> None:
    """Any bytes are refused with their place."""
    with segue.load() as host:
        try:
            host.assign_json("learner", text)
        except segue.InputError as fault:
            assert_clear(fault)
