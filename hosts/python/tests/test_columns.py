# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import ctypes
import gc
import json
import os
import subprocess
import sys
import threading
from array import array
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from test_random import groups

import segue
from segue import GroupColumns, _abi
from segue._group_columns import _COUNTING

LETTERS = {
    ctypes.c_uint32: "I",
    ctypes.c_int64: "q",
    ctypes.c_double: "d",
    ctypes.c_uint8: "B",
    ctypes.c_char: "B",
}
COLUMNS = {column.field: column for column in _abi.GROUP_COLUMNS}
BENCH = Path(__file__).resolve().parents[1] / "tools/bench.py"


def columns_of(host: segue.Host, document: dict[str, Any]) -> GroupColumns:
    """The columns that libsegue itself makes of a document, copied."""
    text = json.dumps(document).encode()
    handle = ctypes.c_void_p()
    assert host._api.segue_document_read(text, len(text), None, ctypes.byref(handle), None) == 0
    struct = _abi.segue_group.from_address(host._api.segue_document_group(handle.value) or 0)
    given: dict[str, Any] = {}
    for name, column in COLUMNS.items():
        offset = getattr(_abi.segue_group, name).offset
        place = ctypes.c_void_p.from_address(ctypes.addressof(struct) + offset).value
        bytes_ = column.rows(struct) * ctypes.sizeof(column.type)
        given[name] = array(LETTERS[column.type], ctypes.string_at(place, bytes_) if bytes_ else b"") if place else None
    now = struct.now_ms
    host._api.segue_document_free(handle.value)
    required = {
        name: array(LETTERS[COLUMNS[name].type]) for name in COLUMNS if given[name] is None and COLUMNS[name].required
    }
    return GroupColumns(**{**given, **required}, config=document.get("config", {}), now_ms=now)


def members_of(plan: segue.PlanColumns, group: GroupColumns) -> dict[str, dict[str, list[str]]]:
    """The plan in names, as a document has it."""
    offset, text = memoryview(group.string_offset), bytes(group.string_bytes)
    names = [text[offset[i] : offset[i + 1]].decode() for i in range(len(offset) - 1)]
    tasks = [names[handle] for handle in memoryview(group.task_name)]
    held: list[dict[str, list[str]]] = [
        {"active": [], "standby": [], "learner": []} for _ in memoryview(group.member_name)
    ]
    for task, name in enumerate(tasks):
        held[plan.active[task]]["active"].append(name)
        if plan.learner[task] != GroupColumns.NONE:
            held[plan.learner[task]]["learner"].append(name)
        for member in plan.standby_member[plan.standby_start[task] : plan.standby_start[task + 1]]:
            held[member]["standby"].append(name)
    return {names[handle]: row for handle, row in zip(memoryview(group.member_name), held, strict=True)}


@pytest.fixture
def columns(host: segue.Host, group: dict[str, Any]) -> GroupColumns:
    return columns_of(host, group)


def test_a_column_for_each_of_the_headers() -> None:
    """GroupColumns and PlanColumns have the fields of group.h and plan.h, and the same are required."""
    named = {one.name: one for one in fields(GroupColumns)}
    assert named.keys() == {*COLUMNS, "config", "now_ms"}
    assert {name for name in COLUMNS if named[name].default is not None} == {
        name for name, column in COLUMNS.items() if column.required
    }
    answered = {one.name for one in fields(segue.PlanColumns)}
    assert answered == {column.field for column in _abi.PLAN_COLUMNS} | {*_abi.PLAN_RESULTS, "report"}


@settings(max_examples=150)
@given(group=groups)
def test_columns_are_answered_as_the_document_is(group: dict[str, Any]) -> None:
    """Whether a group comes as columns or as a document makes no difference to who holds what, nor to the figures."""
    group["config"] = {**group.get("config", {}), "num.standby.replicas": 1}
    with segue.load() as host:
        plan = host.assign("balanced", group)
        asked = columns_of(host, group)
        answer = host.assign_columns("balanced", asked, decisions=True)
    expected = {row["id"]: {role: row[role] for role in ("active", "standby", "learner")} for row in plan["members"]}
    assert members_of(answer, asked) == expected
    assert (answer.moves, answer.min_moves, answer.learners) == (
        plan.stats.moves,
        plan.stats.min_moves,
        plan.stats.learners,
    )
    assert answer.decision_count == len(plan.decisions) == len(answer.decision_number) // 4
    assert [_abi.segue_kind(kind).name[11:].replace("_", "-").lower() for kind in answer.decision_kind] == [
        one.kind for one in plan.decisions
    ]


def test_decisions_come_only_when_they_are_asked_for(host: segue.Host, columns: GroupColumns) -> None:
    """Without decisions their columns are empty, and the plan is the same."""
    bare, full = host.assign_columns("learner", columns), host.assign_columns("learner", columns, decisions=True)
    assert (bare.decision_count, len(bare.decision_task), len(bare.decision_number)) == (0, 0, 0)
    assert full.decision_count == len(full.decision_task) > 0
    assert bare.active.tolist() == full.active.tolist()
    assert bare.learner.tolist() == full.learner.tolist()


def as_ctypes(column: array[int]) -> Any:
    return (ctypes.c_uint32 * len(column)).from_buffer_copy(column)


def as_cast(column: array[int]) -> Any:
    return memoryview(column.tobytes()).cast("I")


def as_slice(column: array[int]) -> Any:
    return memoryview(array("I", [7]) + column + array("I", [7]))[1:-1]


def as_numpy(column: array[int]) -> Any:
    return pytest.importorskip("numpy").array(column)


def as_frozen_numpy(column: array[int]) -> Any:
    numpy = pytest.importorskip("numpy")
    return numpy.frombuffer(column.tobytes(), dtype="<u4")


@pytest.mark.parametrize("kind", [as_ctypes, as_cast, as_slice, as_numpy, as_frozen_numpy])
def test_a_column_is_whatever_has_the_buffer_protocol(
    host: segue.Host, columns: GroupColumns, kind: Callable[[Any], Any]
) -> None:
    """Arrays of ctypes and numpy, slices, and buffers that are read only are read where they lie."""
    other = replace(columns, task_partition=kind(columns.task_partition), copy_task=kind(columns.copy_task))
    expected = host.assign_columns("learner", columns)
    assert host.assign_columns("learner", other).learner.tolist() == expected.learner.tolist()


def test_numpy_is_not_imported_and_reads_the_plan_in_place(host: segue.Host, columns: GroupColumns) -> None:
    """A caller who has numpy gets an array over the plan's own memory; segue itself never imports it."""
    script = "import segue, sys; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
    numpy = pytest.importorskip("numpy")
    plan = host.assign_columns("learner", columns)
    seen = numpy.asarray(plan.active)
    assert (seen.dtype, seen.tolist()) == (numpy.dtype("uint32"), plan.active.tolist())
    assert seen.__array_interface__["data"][0] == numpy.asarray(plan.active).__array_interface__["data"][0]


def test_a_truth_of_numpy_says_what_is_stateful(host: segue.Host, columns: GroupColumns) -> None:
    """A column of bool is one of bytes that are 0 or 1."""
    flags = memoryview(bytes(memoryview(columns.task_stateful))).cast("?")
    assert host.assign_columns("learner", replace(columns, task_stateful=flags)).learners == 1


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_of_another_type_is_refused_by_name(host: segue.Host, columns: GroupColumns, name: str) -> None:
    """Numbers of another width or sign, lists, text and strides are refused with the column and what is wanted."""
    rows = 2 * len(memoryview(getattr(columns, name) or b""))
    odd: list[Any] = [
        array("f", [0] * rows),
        array("h", [0] * rows),
        [0] * rows,
        "0" * rows,
        7,
        memoryview(bytes(rows))[::2],
    ]
    for bad in odd:
        with pytest.raises(segue.InputError, match=f"^{name}: ") as caught:
            host.assign_columns("learner", replace(columns, **{name: bad}))
        assert (caught.value.path, caught.value.code) == (name, "bad-argument")


def test_the_sign_counts(host: segue.Host, columns: GroupColumns) -> None:
    """A handle is unsigned: -1 would silently be a row number."""
    with pytest.raises(segue.InputError, match=r"unsigned 32-bit integers .*numpy.uint32.*'i'"):
        host.assign_columns("learner", replace(columns, task_partition=array("i", range(4))))


def test_big_endian_numbers_are_refused(host: segue.Host, columns: GroupColumns) -> None:
    """What numpy calls '>u4' is not read as if it were this machine's."""
    numpy = pytest.importorskip("numpy")
    with pytest.raises(segue.InputError, match="little-endian"):
        host.assign_columns("learner", replace(columns, task_partition=numpy.arange(4, dtype=">u4")))


def test_two_dimensions_are_refused(host: segue.Host, columns: GroupColumns) -> None:
    """A table is no column."""
    table = memoryview(bytes(16)).cast("I", [2, 2])
    with pytest.raises(segue.InputError, match=r"^task_partition: one contiguous dimension.*\(2, 2\)"):
        host.assign_columns("learner", replace(columns, task_partition=table))


def test_a_column_that_lies_askew_is_refused(host: segue.Host, columns: GroupColumns) -> None:
    """Four-byte numbers that start at an odd address are refused before C reads them."""
    askew = memoryview(bytearray(64))[1:17].cast("I")
    with pytest.raises(segue.InputError, match=r"^task_partition: .*multiple of 4"):
        host.assign_columns("learner", replace(columns, task_partition=askew))


# All but those that say themselves how many there are.
@pytest.mark.parametrize("name", [name for name in COLUMNS if name not in _COUNTING or name == "task_name"])
def test_a_column_of_another_length_is_refused_by_name(host: segue.Host, columns: GroupColumns, name: str) -> None:
    """Rows too many are named with both numbers and the column that says how many there are."""
    given = getattr(columns, name)
    longer: Any = array(LETTERS[COLUMNS[name].type], given if given is not None else [])
    longer.extend([0] * 9)
    replaced: dict[str, Any] = {name: longer}
    with pytest.raises(segue.InputError, match=r"^\w+: [0-9,]+ rows are given, and [0-9,]+ wanted: ") as caught:
        host.assign_columns("learner", replace(columns, **replaced))
    assert caught.value.path == ("task_subtopology" if name == "task_name" else name)


@pytest.mark.parametrize("name", [name for name, column in COLUMNS.items() if column.required])
def test_a_column_that_is_missing_is_refused_by_name(host: segue.Host, columns: GroupColumns, name: str) -> None:
    """What has no default has to be there."""
    missing: dict[str, Any] = {name: None}
    with pytest.raises(segue.InputError, match=f"^{name}: this column has to be there"):
        host.assign_columns("learner", replace(columns, **missing))


@pytest.mark.parametrize(
    ("name", "values", "row"),
    [
        ("task_stateful", array("B", [1, 1, 2, 1]), 2),
        ("task_weight", array("d", [1, 1, 1, -1]), 3),
        ("member_process", array("I", [0, 1, 9]), 2),
        ("member_threads", array("I", [1, 2**31, 1]), 1),
        ("copy_role", array("B", [3, 7, 3, 3]), 1),
        ("copy_task", array("I", [0, 1, 2, 4]), 3),
        ("copy_start", array("I", [0, 3, 2, 4]), 2),
    ],
)
def test_a_value_at_fault_is_named_by_column_and_row(
    host: segue.Host, columns: GroupColumns, name: str, values: Any, row: int
) -> None:
    """libsegue checks every value; the error names the column, the row and what would be right."""
    with pytest.raises(segue.GroupError, match=name) as caught:
        host.assign_columns("learner", replace(columns, **{name: values}))
    assert (caught.value.row, caught.value.code) == (row, "bad-group")
    assert caught.value.path == f"{name}[{row}]"


@pytest.mark.parametrize("now", [2**63, -(2**63) - 1, 1.5, None, "1"])
def test_a_clock_beyond_64_bits_is_refused(host: segue.Host, columns: GroupColumns, now: Any) -> None:
    """No number is cut, silently."""
    with pytest.raises(segue.InputError, match=r"^now_ms: "):
        host.assign_columns("learner", replace(columns, now_ms=now))


def test_a_document_is_no_columns(host: segue.Host, group: Any) -> None:
    """Mixing the two interfaces up is said."""
    with pytest.raises(segue.InputError, match="GroupColumns are wanted, not dict"):
        host.assign_columns("learner", group)


@pytest.mark.parametrize("config", [None, 5])
def test_configuration_is_a_mapping(host: segue.Host, columns: GroupColumns, config: Any) -> None:
    """As every other mistake in columns, told as one of the input."""
    with pytest.raises(segue.InputError, match="config is a mapping"):
        host.assign_columns("learner", replace(columns, config=config))


def test_configuration_is_a_documents(host: segue.Host, columns: GroupColumns, group: dict[str, Any]) -> None:
    """Keys and values are refused with the words that a document gets, whichever way they come."""
    odd: list[Any] = [{"segue.max.lerners": 1}, {"num.standby.replicas": -1}, {"num.standby.replicas": None}]
    for config in odd:
        with pytest.raises(segue.InputError) as by_columns:
            host.assign_columns("learner", replace(columns, config=config))
        with pytest.raises(segue.InputError) as by_document:
            host.assign("learner", {**group, "config": config})
        assert by_columns.value.text == by_document.value.text
    assert host.assign_columns("learner", replace(columns, config={"num.standby.replicas": "1"})).standby_count == 4


def test_an_unknown_assignor_is_named(host: segue.Host, columns: GroupColumns) -> None:
    """A wrong name raises AssignorError with the right ones, and the columns are free again."""
    with pytest.raises(segue.AssignorError, match="lerner"):
        host.assign_columns("lerner", columns)
    assert isinstance(columns.copy_task, array)
    columns.copy_task.append(1)


def test_a_fallback_warns(columns: GroupColumns, bad_plugin: Path) -> None:
    """A plan that breaks a rule is replaced, and a FallbackWarning says why."""
    with segue.load(plugins=[bad_plugin], only_plugins=True) as host:
        with pytest.warns(segue.FallbackWarning, match="breaks-r1"):
            plan = host.assign_columns("breaks-r1", columns)
        assert (plan.report.fallback, plan.report.rule) == (True, 1)
        assert plan.active.tolist() == [0, 0, 1, 1]


def test_a_plan_outlives_host_and_group(group: dict[str, Any]) -> None:
    """The plan's columns are its own, each alone keeps them, and nobody can write into them."""
    with segue.load() as host:
        active = host.assign_columns("learner", columns_of(host, group)).active
    gc.collect()
    assert active.tolist() == [0, 0, 1, 1]
    with pytest.raises(TypeError, match="read-only"):
        active[0] = 1


def test_a_plan_that_no_memory_holds_is_our_error(
    host: segue.Host, columns: GroupColumns, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the system refuses for a plan's columns is said as ours, and the group's columns are free again."""

    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(12, "Cannot allocate memory")

    monkeypatch.setattr("segue._plan_columns.mmap.mmap", refuse)
    with pytest.raises(segue.InternalError, match="no memory holds the plan's") as caught:
        host.assign_columns("learner", columns)
    assert caught.value.code == "no-memory"
    assert isinstance(columns.copy_task, array)
    columns.copy_task.append(1)


def test_other_threads_run_during_a_call_and_lent_columns_do_not_grow(columns: GroupColumns, bad_plugin: Path) -> None:
    """The interpreter is free while the assignor thinks, and what it reads stays in its place."""
    assert isinstance(columns.copy_task, array)
    entered, enter = os.pipe()
    leave, left = os.pipe()
    plans: list[segue.PlanColumns] = []
    # This assignor says through one pipe that it is there, and waits for the other.
    asked = replace(columns, now_ms=enter * 65536 + leave)
    with segue.load(plugins=[bad_plugin], only_plugins=True) as host:
        thread = threading.Thread(target=lambda: plans.append(host.assign_columns("waits", asked, warn=False)))
        thread.start()
        assert os.read(entered, 1) == b"!"
        with pytest.raises(BufferError):
            columns.copy_task.append(0)
        os.write(left, b"!")
        thread.join()
    columns.copy_task.append(0)
    for end in (entered, enter, leave, left):
        os.close(end)
    assert plans[0].report.status == "ok"


def test_the_benchmark_runs() -> None:
    """tools/bench.py prints a line for each interface; it asserts no time."""
    command = [sys.executable, str(BENCH), "--tasks", "60", "--members", "6", "--repeats", "2"]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    assert [line.split()[0] for line in lines[2:]] == ["columns", "columns,", "documents"]
