# SPDX-License-Identifier: Apache-2.0
"""The documents of side groups, as hosts/MARKS.md has them and as the JVM reads and writes them."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segue import Led, Phase
from segue._drain.documents import GREATEST, MOST_BYTES
from segue._drain.mark import Mark
from segue._drain.presence import Copies, Now, Presence
from segue._drain.swap import Choice, Swap

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["leaving", "assignor", "balanced"])
keys = st.sampled_from(["v", "kind", "instance", "since_ms", "deadline_ms", "stay", "by", "name"])
MARKS = json.loads((Path(__file__).resolve().parents[4] / "tests/marks/table.json").read_text())["rows"]
ID = "0b7c6a0e-0000-4000-8000-000000000000"


def test_a_mark_is_what_the_format_says() -> None:
    """The example of the format, field by field."""
    text = Mark.now(ID, 1000, 600_000, False, "segue drain").text()
    assert json.loads(text) == {
        "v": 1, "kind": "leaving", "instance": ID, "since_ms": 1000, "deadline_ms": 601_000, "stay": False,
        "by": "segue drain",
    }  # fmt: skip
    assert Mark.read(text) == Mark(ID, 1000, 601_000, False, "segue drain")


def test_a_mark_needs_no_more_than_a_time() -> None:
    assert Mark.read('{"v":1,"kind":"leaving","since_ms":5,"unknown":[1]}') == Mark("", 5)


@pytest.mark.parametrize("row", MARKS, ids=lambda row: row["what"])
def test_a_mark_counts_here_where_it_counts_for_every_host(row: dict[str, Any]) -> None:
    """The program and Java are held against the same table."""
    mark = Mark.read(row["text"])
    expected = row["mark"]
    assert (mark is None) == (expected is None)
    if mark is not None:
        found = {"since_ms": mark.since_ms, "deadline_ms": mark.deadline_ms, "stay": mark.stay, "by": mark.by}
        assert found == expected


def test_what_is_no_mark_is_absent_however_deep() -> None:
    assert Mark.read("[" * 100_000) is None


@pytest.mark.parametrize("deadline", ["18446744073709551615", "-1", "1e3", '"soon"', "null", "1" + "0" * 5000])
def test_a_deadline_that_is_no_time_is_none(deadline: str) -> None:
    """As one that has passed it would force all tasks away at once."""
    mark = Mark.read('{"v":1,"kind":"leaving","since_ms":5,"deadline_ms":' + deadline + "}")
    assert mark is None or mark.deadline_ms is None


@given(st.text() | st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(keys, inner)).map(json.dumps))
def test_whatever_stands_there_nobody_stumbles(text: str) -> None:
    """Anybody with the right may write anything into a side group."""
    assert isinstance(Mark.read(text), Mark | None)
    assert isinstance(Swap.read(text), Swap | None)


def test_a_mark_keeps_its_beginning_when_marked_again() -> None:
    mark = Mark.now(ID, 1000, 10_000, False, "me")
    assert mark.again(5000, 20_000, False) == Mark(ID, 1000, 25_000, False, "me")
    assert mark.again(5000, None, True) == Mark(ID, 1000, 11_000, True, "me")


def test_a_mark_without_a_deadline_takes_the_applications() -> None:
    mark = Mark.now(ID, 1000, None, False, "me")
    assert mark.within(500).is_overdue(1500)
    assert not mark.within(None).is_overdue(GREATEST)
    assert not Mark.now(ID, 1000, 10_000, False, "me").within(1).is_overdue(2000)


def test_a_deadline_that_nobody_lives_to_see_is_the_greatest_time() -> None:
    assert Mark.now(ID, 1000, 2**70, False, "me").deadline_ms == GREATEST


def test_whoever_marks_it_fits_into_an_offsets_metadata() -> None:
    text = Mark.now(ID, 1000, None, False, "x" * 5000).text()
    assert len(text.encode()) < MOST_BYTES
    assert Mark.read(text) is not None


def test_a_wish_is_newer_than_the_one_before() -> None:
    """Whatever the clock of its writer says."""
    ahead = Swap("learner", 2**52)
    assert Swap.after(ahead, "balanced", "me").since_ms == 2**52 + 1
    assert Swap.after(Swap("learner", GREATEST), "balanced", "me").since_ms < GREATEST


@pytest.mark.parametrize("name", ["", " ", "a b", "ä", "x" * 101, "a\n"])
def test_what_cannot_be_a_name_is_no_wish(name: str) -> None:
    assert Swap.read(json.dumps({"v": 1, "kind": "assignor", "since_ms": 5, "name": name})) is None


def test_a_wish_counts_where_it_is_offered() -> None:
    wish = Swap("balanced", 5)
    assert Choice.of("learner", ("balanced", "learner"), wish) == Choice("balanced", "learner")
    assert Choice.of("learner", ("learner",), wish) == Choice("learner", "learner", refused="balanced")
    assert Choice.of("learner", ("learner",), None) == Choice("learner", "learner")


def presence(**more: object) -> dict[str, object]:
    who = Presence(ID, "orders-2", ("balanced", "learner"), 100, "pod-2", 7, http="http://pod-2:80")
    led = Led(at_ms=150, assignor="balanced", plugin="segue-assignors", plugin_version="1.0.0", tasks=8, members=3,
              moves=2, min_moves=4, fault="x" * 500)  # fmt: skip
    fields: dict[str, object] = {
        "phase": Phase.DRAINING, "active": 3, "copies": Copies(2, 1, None), "mark": Mark(ID, 120, 900),
        "choice": Choice("balanced", "learner"), "heeds_marks": True, "led": led,
    }  # fmt: skip
    found: dict[str, object] = json.loads(who.text(Now(**fields | more), 200))  # type: ignore[arg-type]
    return found


def test_a_presence_is_what_the_format_says() -> None:
    """Every field of the format that a member of this host has."""
    assert presence() == {
        "v": 1, "kind": "presence", "instance": ID, "client_id": "orders-2", "host": "pod-2", "pid": 7,
        "http": "http://pod-2:80",
        "assignor": "balanced", "leaving_known": True, "configured": "learner", "assignors": ["balanced", "learner"],
        "started_ms": 100, "at_ms": 200, "state": "draining", "active": 3, "copies": 2, "copies_ready": 1,
        "copies_lag": -1, "drain": {"since_ms": 120, "deadline_ms": 900, "tasks_left": 3, "stay": False},
        "led": {"at_ms": 150, "assignor": "balanced", "plugin": "segue-assignors", "plugin_version": "1.0.0",
                "fault": "x" * 300, "tasks": 8, "members": 3, "moves": 2, "min_moves": 4, "learners": 0},
    }  # fmt: skip


def test_a_presence_leaves_out_what_does_not_apply() -> None:
    found = presence(phase=Phase.RUNNING, mark=None, led=None, choice=Choice("learner", "learner", "gone"))
    assert found["swap_refused"] == "gone"
    assert not {"drain", "led", "configured"} & found.keys()


def test_a_presence_that_is_too_long_loses_the_names_of_assignors_first() -> None:
    who = Presence(ID, "c", tuple(f"assignor-{n}" for n in range(500)), 100, "pod-2", 7)
    now = Now(Phase.RUNNING, 3, Copies(), None, Choice("learner", "learner"), False, None)
    text = who.text(now, 200)
    assert len(text.encode()) <= MOST_BYTES
    assert "assignors" not in json.loads(text)
    assert json.loads(text)["client_id"] == "c"
