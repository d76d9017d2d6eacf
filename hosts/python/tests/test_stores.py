# SPDX-License-Identifier: Apache-2.0
"""The stores that come with segue."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from simulated import Entry

from segue import InputError, MemoryStore, SqliteStore, StoreError, TableStore

CHANGELOG = "counts"


def entries(*values: bytes | None, first: int = 0) -> list[Entry]:
    return [Entry(offset, b"key", value) for offset, value in enumerate(values, first)]


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[TableStore]:
    made = MemoryStore() if request.param == "memory" else SqliteStore(tmp_path / "state")
    made.open(CHANGELOG)
    yield made
    made.close()


class Folders:
    """A folder as it is found after the process before was killed: a copy of its files at that moment."""

    def __init__(self, above: Path) -> None:
        self._above = above
        self.made: list[SqliteStore] = []

    @property
    def path(self) -> Path:
        return self._above / f"state-{len(self.made)}"

    def __call__(self, changelog: str = CHANGELOG) -> SqliteStore:
        after = self._above / f"state-{len(self.made) + 1}"
        if self.made:
            shutil.copytree(self.path, after)
        self.made.append(SqliteStore(after))
        self.made[-1].open(changelog)
        return self.made[-1]


@pytest.fixture
def reopen(tmp_path: Path) -> Iterator[Folders]:
    folders = Folders(tmp_path)
    yield folders
    for one in folders.made:
        one.close()


def test_a_file_tells_how_large_it_is(tmp_path: Path) -> None:
    """What is in memory does not know it without looking at all of it."""
    store = SqliteStore(tmp_path)
    store.open(CHANGELOG)
    store.start(0)
    small = store.state_bytes(0)
    store.table(0)[b"key"] = bytes(1 << 20)
    store.flush(0, 1, {})
    large = store.state_bytes(0)
    store.close()
    assert small is not None
    assert large is not None
    assert 0 < small < 1 << 20 < large < 2 << 20
    assert MemoryStore().state_bytes(0) is None


def test_what_memory_drops_is_freed_beside_the_caller() -> None:
    """A copy is dropped amid a rebalance, and nothing else would run while all of its keys are freed."""
    keys, freed, over = 5_000, set[int](), threading.Event()

    class Value(bytes):
        left = keys

        def __del__(self) -> None:
            freed.add(threading.get_ident())
            Value.left -= 1
            if not Value.left:
                over.set()

    store = MemoryStore()
    store.restore(0, [Entry(number, b"%d" % number, Value(b"1")) for number in range(keys)])
    store.drop(0)
    assert not store.partitions()
    assert not store.table(0)
    assert over.wait(180)
    assert len(freed) == 1
    assert threading.get_ident() not in freed


def test_the_newest_of_a_key_counts_and_a_deletion_deletes(store: TableStore) -> None:
    """In one batch and over several; the position is behind the last record."""
    store.restore(0, [*entries(b"1", b"2"), Entry(2, b"other", b"x")])
    assert dict(store.table(0)) == {b"key": b"2", b"other": b"x"}
    store.restore(0, entries(None, first=7))
    assert dict(store.table(0)) == {b"other": b"x"}
    assert store.position(0) == 8


def test_partitions_are_apart(store: TableStore) -> None:
    """Each has its own keys and its own position, and can be dropped alone."""
    store.restore(0, entries(b"1"))
    store.restore(1, entries(b"2", first=5))
    assert (store.position(0), store.position(1), store.position(2)) == (1, 6, 0)
    store.drop(0)
    assert list(store.partitions()) == [1]
    assert dict(store.table(1)) == {b"key": b"2"}
    assert dict(store.table(0)) == {}


def test_the_marks_of_the_changelog_are_kept(store: TableStore) -> None:
    """The last one counts, and what is known already is not lost."""
    store.restore(0, [Entry(0, headers=[("segue-at", b"7 orders"), ("segue-at", b"2 pay ments")]), Entry(1)])
    store.restore(0, [Entry(2, headers=[("segue-at", b"9 orders"), ("other", b"1 x"), ("segue-at", b"garbage")])])
    assert store.applied(0) == {"orders": 9, "pay ments": 2}


def test_a_table_is_a_mapping(store: TableStore) -> None:
    """With what Python's own have, also for thousands of keys while they change."""
    table = store.table(0)
    table.update({b"%04d" % number: b"x" for number in range(2500)})
    for key in list(table) if isinstance(store, MemoryStore) else table:
        if int(key) % 2:
            del table[key]
    assert len(table) == 1250
    assert table.get(b"0001") is None
    assert table.pop(b"0002") == b"x"
    with pytest.raises(KeyError):
        del table[b"0001"]


def test_a_file_is_whole_whenever_the_process_ends(reopen: Folders) -> None:
    """What was written since the last flush is gone, and the position is that of the flush."""
    store = reopen()
    store.restore(3, entries(b"1"))
    store.table(3)[b"key"] = b"2"
    store.flush(3, 5, {"orders": 4})
    store.table(3)[b"key"] = b"3"
    store = reopen()
    assert list(store.partitions()) == [3]
    assert (store.position(3), dict(store.applied(3))) == (5, {"orders": 4})
    assert dict(store.table(3)) == {b"key": b"2"}


@pytest.mark.parametrize("end", [SqliteStore.abandon, SqliteStore.stop])
def test_what_was_not_flushed_is_forgotten(reopen: Folders, end: Callable[[SqliteStore, int], None]) -> None:
    """When the partition is lost, and when it is handed over."""
    store = reopen()
    store.restore(0, entries(b"1"))
    store.table(0)[b"key"] = b"2"
    end(store, 0)
    assert dict(store.table(0)) == {b"key": b"1"}


def test_a_damaged_file_is_restored_anew(reopen: Folders) -> None:
    """Whatever is in it: the changelog has everything."""
    reopen().restore(0, entries(b"1"))
    (file,) = reopen.path.glob("*.sqlite")
    for part in reopen.path.glob("*.sqlite*"):
        part.write_bytes(b"no database" * 1000)
    assert reopen().position(0) == 0
    assert file.exists()


def test_a_file_that_cannot_be_opened_is_named_and_kept(store: TableStore, tmp_path: Path) -> None:
    """It may be whole, and only out of reach."""
    if isinstance(store, MemoryStore):
        return
    file = tmp_path / "state" / f"{CHANGELOG}-3.sqlite"
    file.mkdir()
    with pytest.raises(StoreError, match=rf"{file} cannot be opened: unable to open"):
        store.restore(3, entries(b"1"))
    assert file.is_dir()


def test_an_old_copy_is_dropped(reopen: Folders) -> None:
    """The changelog may have forgotten deletions meanwhile."""
    reopen().restore(0, entries(b"1"))
    (file,) = reopen.path.glob("*.sqlite")
    then = time.time() - 21 * 3600
    os.utime(file, (then, then))
    assert list(reopen().partitions()) == []


def test_a_folder_has_one_user_and_an_id_that_stays(reopen: Folders) -> None:
    """Two processes on one folder would overwrite each other."""
    first = reopen()
    with pytest.raises(InputError, match="every process needs a folder of its own"):
        SqliteStore(reopen.path)
    before = first.process_id
    assert reopen().process_id == before


def test_a_changelog_of_another_name_has_files_of_its_own(reopen: Folders) -> None:
    """A folder that is used for something else now is no copy of that."""
    reopen().restore(0, entries(b"1"))
    assert list(reopen("others").partitions()) == []


def test_files_of_somebody_else_are_left_alone(tmp_path: Path) -> None:
    """In a folder that no store has had, whatever is called like a partition's file is none, however old it is."""
    file = tmp_path / f"{CHANGELOG}-0.sqlite"
    file.write_text("somebody else's")
    os.utime(file, (0, 0))
    store = SqliteStore(tmp_path)
    with pytest.raises(InputError, match=rf"{file} is no state of segue's, or not any more"):
        store.open(CHANGELOG)
    store.close()
    assert file.read_text() == "somebody else's"


def test_a_folder_that_is_called_like_a_file_is_no_copy(tmp_path: Path) -> None:
    """An old one stays where it is."""
    folder = tmp_path / f"{CHANGELOG}-0.sqlite"
    folder.mkdir()
    os.utime(folder, (0, 0))
    store = SqliteStore(tmp_path)
    store.open(CHANGELOG)
    assert list(store.partitions()) == []
    store.close()
    assert folder.is_dir()
