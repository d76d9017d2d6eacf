# SPDX-License-Identifier: Apache-2.0
"""What is left of a stateful consumer when it is closed, or in a child that a fork made, and values that are none."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from forking import forks

import segue
from segue import ClosedError, InputError, MemoryStore, SqliteStore, TableStore
from segue._clients.copies import Answer
from segue._state.keeper import Keeper


@pytest.fixture(params=[MemoryStore, SqliteStore])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    return request.param() if request.param is MemoryStore else request.param(tmp_path / "state")


@pytest.fixture
def keeper(store: TableStore) -> Iterator[Keeper]:
    """It owns partition 0, and has begun with a record of it."""
    made = Keeper(["orders"], changelog="counts", store=store, assignor="learner", config={}, send=print)
    made.taken(Answer(frozenset({0}), round=1))
    made.settle()
    asked = made.engine.questions()
    made.engine.answered(asked, dict.fromkeys(asked.ends, 0), dict.fromkeys(asked.beginnings, 0))
    assert made.start() == [0]
    yield made
    made.close()


CALLS: list[Callable[[Keeper], object]] = [
    lambda keeper: keeper.state(0),
    lambda keeper: keeper.log(0, b"key", b"value"),
    lambda keeper: keeper.assignment(),
    lambda keeper: keeper.lags(),
]


@pytest.mark.parametrize("call", CALLS[:2])
def test_a_closed_one_takes_nothing(keeper: Keeper, call: Callable[[Keeper], object]) -> None:
    """Also a state that was kept from before; nothing is opened again."""
    state = keeper.state(0)
    keeper.stop()
    keeper.close()
    with pytest.raises(ClosedError):
        call(keeper)
    for use in (lambda: state.get(b"key"), lambda: state.__setitem__(b"key", b"value"), lambda: len(state)):
        with pytest.raises(ClosedError):
            use()
    assert (keeper.assignment(), keeper.lags()) == (set(), {})


def test_the_folder_of_a_closed_one_is_free(tmp_path: Path) -> None:
    """Whatever its states were asked for afterwards."""
    first = SqliteStore(tmp_path)
    keeper = Keeper(["orders"], changelog="counts", store=first, assignor="learner", config={}, send=print)
    keeper.close()
    with pytest.raises(ClosedError):
        first.table(0)
    second = SqliteStore(tmp_path)
    second.open("counts")
    second.close()


def test_none_is_no_value(keeper: Keeper) -> None:
    """With one sentence, whatever the store; the state is as it was."""
    state = keeper.state(0)
    with pytest.raises(InputError, match="values are bytes, not None; `del state"):
        state[b"key"] = None  # type: ignore[assignment]
    assert dict(state) == {}


@forks
def test_a_forked_child_has_nothing(keeper: Keeper) -> None:
    """It is told so, and its end changes nothing for the parent."""
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        said = []
        for call in CALLS:
            try:
                call(keeper)
                said.append("went through")
            except ClosedError as fault:
                said.append("closed" if "another process" in str(fault) else str(fault))
            except BaseException as fault:
                said.append(repr(fault))
        keeper.close()
        os.write(writing, ",".join(said).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        assert pipe.read() == ",".join(["closed"] * len(CALLS))
    os.waitpid(child, 0)
    keeper.begin(())
    assert dict(keeper.state(0)) == {}


@forks
def test_a_childs_life_does_not_keep_the_folder(tmp_path: Path) -> None:
    """The lock ends with the parent's store, though a forked child still lives."""
    store = SqliteStore(tmp_path)
    reading, writing = os.pipe()
    living, lives = os.pipe()
    if (child := os.fork()) == 0:
        os.close(writing)
        os.write(lives, b"x")
        os.read(reading, 1)
        os._exit(0)
    os.close(reading)
    os.read(living, 1)
    store.close()
    SqliteStore(tmp_path).close()
    for end in (writing, living, lives):
        os.close(end)
    os.waitpid(child, 0)


@pytest.mark.parametrize("path", ["file", "file/below", "/proc/segue"])
def test_what_can_be_no_folder_is_said(tmp_path: Path, path: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="no folder that can be written"):
        segue.SqliteStore(tmp_path / path)
