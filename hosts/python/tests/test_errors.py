# SPDX-License-Identifier: Apache-2.0
from typing import Any

import pytest

import segue
from segue._abi import segue_status
from segue._errors import error_of


def test_an_unknown_assignor_names_those_that_there_are(host: segue.Host, group: dict[str, Any]) -> None:
    """A wrong name raises AssignorError with the right ones in its text."""
    with pytest.raises(segue.AssignorError, match=r"lerner.*learner") as caught:
        host.assign("lerner", group)
    assert caught.value.code == "no-such-name"


def test_a_wrong_value_is_named_by_its_path(host: segue.Host, group: dict[str, Any]) -> None:
    """A fault in the document carries the JSON path of the value."""
    group["members"][1]["threads"] = -1
    with pytest.raises(segue.InputError, match=r"members\[1\]\.threads") as caught:
        host.assign("learner", group)
    assert caught.value.path == "members[1].threads"
    assert isinstance(caught.value, ValueError)


def test_a_path_may_hold_a_quoted_key(host: segue.Host, group: dict[str, Any]) -> None:
    """The lag of a task is named by the task."""
    group["members"][2]["lag"] = {"0_1": -5}
    with pytest.raises(segue.InputError) as caught:
        host.assign("learner", group)
    assert caught.value.path == 'members[2].lag["0_1"]'


def test_an_unknown_key_of_ours_names_the_nearest(host: segue.Host, group: dict[str, Any]) -> None:
    """A misspelt configuration key under "segue." is an error that names the right one."""
    group["config"] = {"segue.max.lerners": 1}
    with pytest.raises(segue.InputError, match=r"segue\.max\.learners"):
        host.assign("learner", group)


def test_text_that_is_no_json_is_placed_by_line_and_column(host: segue.Host) -> None:
    """A syntax error carries the source's name, line and column."""
    with pytest.raises(segue.DocumentError, match=r"mine\.json:2:") as caught:
        host.assign_json("learner", '{\n"segue" 1}', source="mine.json")
    assert caught.value.code == "bad-document"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object(), b"bytes"])
def test_a_value_without_json_is_a_document_error(host: segue.Host, group: dict[str, Any], value: Any) -> None:
    """What JSON cannot say raises DocumentError, not a foreign exception."""
    group["now_ms"] = value
    with pytest.raises(segue.DocumentError, match="no JSON document"):
        host.assign("learner", group)


def test_a_dict_that_holds_itself_is_a_document_error(host: segue.Host, group: dict[str, Any]) -> None:
    """A circular dict raises DocumentError."""
    group["x-self"] = group
    with pytest.raises(segue.DocumentError):
        host.assign("learner", group)


@pytest.mark.parametrize("name", ["", "lea\0rner", "\ud800", "x" * 10_000])
def test_an_odd_name_is_refused(host: segue.Host, group: dict[str, Any], name: str) -> None:
    """No name of an assignor crashes or passes."""
    with pytest.raises(segue.SegueError):
        host.assign(name, group)


@pytest.mark.parametrize("name", [None, 7, b"learner"])
def test_a_name_that_is_no_text_is_named(host: segue.Host, group: dict[str, Any], name: Any) -> None:
    """What is no text is told so, wherever a name is asked for."""
    said = f"an assignor's name is a text, not {type(name).__name__}"
    for ask in (host.assign, host.explain, host.assign_recorded):
        with pytest.raises(segue.InputError, match=said):
            ask(name, group)


@pytest.mark.parametrize("value", [None, 7, "group", [("segue", "group/1")]])
def test_what_is_no_group_is_named(host: segue.Host, value: Any) -> None:
    """A group is typed or a mapping; anything else is told so."""
    with pytest.raises(segue.InputError, match=f"a group is a Group or a mapping, not {type(value).__name__}"):
        host.assign("learner", value)


def test_a_file_that_is_no_plugin_is_refused(host: segue.Host) -> None:
    """A file that is no plugin raises PluginError with its path."""
    with pytest.raises(segue.PluginError, match="test_errors"):
        host.load(__file__)


def test_each_status_has_its_exception() -> None:
    """Every fault of the border becomes an exception below SegueError, with the text kept."""
    for status in segue_status:
        fault = error_of(status, "what, where, right", code="word", rule=4, row=2)
        assert isinstance(fault, segue.SegueError)
        assert (fault.text, fault.code, fault.rule, fault.row) == ("what, where, right", "word", 4, 2)


def test_an_error_holds_no_pointer(host: segue.Host, group: dict[str, Any]) -> None:
    """The text of an error outlives its host."""
    with pytest.raises(segue.AssignorError) as caught:
        host.assign("nobody", group)
    host.close()
    assert "nobody" in str(caught.value)


@pytest.mark.parametrize("path", ["", "a\0b", "/a\0b", "/\ud800"])
def test_an_odd_plugin_is_refused(host: segue.Host, path: str) -> None:
    """No name of a plugin crashes, is cut short, or passes."""
    with pytest.raises(segue.SegueError):
        host.load(path)


@pytest.mark.parametrize("path", ["a\0b", "/a:b"])
def test_a_folder_that_a_search_path_cannot_hold_is_refused(path: str) -> None:
    """A folder's path with NUL or colon would silently become another one."""
    with pytest.raises(segue.InputError, match="a folder of plugins"):
        segue.load(plugins=[path])


def test_a_source_with_a_nul_is_refused(host: segue.Host) -> None:
    """What messages call a text is never cut short."""
    with pytest.raises(segue.InputError, match="a source has no NUL"):
        host.assign_json("learner", "{}", source="a\0b")


def test_a_lone_surrogate_is_a_document_error(host: segue.Host) -> None:
    """Text that has no UTF-8 raises DocumentError, not a foreign exception."""
    with pytest.raises(segue.DocumentError):
        host.assign_json("learner", '{"\ud800": 1}', source="\ud800.json")
