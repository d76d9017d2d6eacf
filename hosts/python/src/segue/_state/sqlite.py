# SPDX-License-Identifier: Apache-2.0
"""State in files of SQLite, one a partition: what was restored once need not be restored again."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import time
from collections.abc import Collection, Iterator, Mapping, MutableMapping, Sequence
from pathlib import Path

from segue._errors import InputError, StoreError
from segue._state.folder import Folder
from segue._state.log import log
from segue._state.marks import newest
from segue._state.store import Record, TableStore

# A compacted topic forgets deletions after delete.retention.ms, a day by default: who has not seen one by then
# never will.
KEEP_HOURS = 20

_SCHEMA = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS state (key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS place (one INTEGER PRIMARY KEY CHECK (one = 0), position INTEGER, applied TEXT);
INSERT OR IGNORE INTO place VALUES (0, 0, '{}');
"""


class SqliteStore(TableStore):
    """Keeps keys and values in a folder that belongs to one process, and that should outlive it.

    The place in the changelog is committed together with the data, so that a file is whole whenever the process
    ends. The folder has the process's id too. Raises InputError where another process has the folder, or it cannot be
    made, or has somebody else's files of such names; StoreError, which names the file, where one cannot be opened.
    ClosedError after `close`, and in a child that a fork made.

    keep_hours: a copy that nobody has updated for longer is thrown away at the start, because deletions may have been
    compacted away since; keep it below the changelog's delete.retention.ms.
    """

    def __init__(self, folder: str | os.PathLike[str], *, keep_hours: float = KEEP_HOURS) -> None:
        self._folder = Folder(folder)
        self._keep_s = keep_hours * 3600
        self._changelog = ""
        self._files: dict[int, _File] = {}

    @property
    def process_id(self) -> str:
        return self._folder.process_id

    @property
    def persistent(self) -> bool:
        return True

    def open(self, changelog: str) -> None:
        self._changelog = changelog
        if self._folder.new and (found := sorted(self._found().values())):
            raise InputError(
                f"{found[0]} is no state of segue's, or not any more: a folder of these has segue.process-id in it; "
                "move the file away, or take another folder",
                code="bad-argument",
            )
        for partition, path in self._found().items():
            age = time.time() - path.stat().st_mtime
            if age > self._keep_s:
                log.info("partition %d of %s: a copy that is %d hours old is dropped", partition, changelog, age / 3600)
                _remove(path)

    def partitions(self) -> Collection[int]:
        return sorted(self._found())

    def position(self, partition: int) -> int:
        return self._file(partition).position if self._path(partition).exists() else 0

    def state_bytes(self, partition: int) -> int | None:
        return self._file(partition).size()

    def applied(self, partition: int) -> Mapping[str, int]:
        return self._file(partition).applied

    def table(self, partition: int) -> MutableMapping[bytes, bytes]:
        return self._file(partition).table

    def restore(self, partition: int, records: Sequence[Record]) -> None:
        self._file(partition).restore(records)

    def flush(self, partition: int, position: int, applied: Mapping[str, int]) -> None:
        self._file(partition).commit(position, applied)

    def abandon(self, partition: int) -> None:
        self._file(partition).roll_back()

    def stop(self, partition: int) -> None:
        self._file(partition).roll_back()

    def drop(self, partition: int) -> None:
        if file := self._files.pop(partition, None):
            file.close()
        _remove(self._path(partition))

    def close(self) -> None:
        if self._folder.closed:  # in a forked child the files are the parent's
            return
        for file in self._files.values():
            file.close()
        self._files.clear()
        self._folder.close()

    def _file(self, partition: int) -> _File:
        path = self._path(partition)
        file = self._files.get(partition)
        if file is None:
            file = self._files[partition] = _open(path)
        return file

    def _path(self, partition: int) -> Path:
        return self._folder.path / f"{self._changelog}-{partition}.sqlite"

    def _found(self) -> dict[int, Path]:
        form = re.compile(re.escape(self._changelog) + r"-(\d+)\.sqlite")
        matches = ((form.fullmatch(path.name), path) for path in self._folder.path.iterdir())
        return {int(match[1]): path for match, path in matches if match and path.is_file()}


class _File:
    """One partition's. Outside of `commit` and `restore` a transaction is open as soon as something was written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        try:
            self.database.executescript(_SCHEMA)
            self._read()
        except BaseException:
            self.database.close()
            raise
        self.table = _Table(self.database)

    def _read(self) -> None:
        self.position, applied = self.database.execute("SELECT position, applied FROM place").fetchone()
        self.applied: dict[str, int] = json.loads(applied)

    def restore(self, records: Sequence[Record]) -> None:
        """The newest of each key is all that has to be written."""
        newest_of = {record.key: record.value for record in records if record.key is not None}
        self.table.begin()
        try:
            self.database.executemany(_PUT, [row for row in newest_of.items() if row[1] is not None])
            self.database.executemany(_DELETE, [(key,) for key, value in newest_of.items() if value is None])
            self.commit(records[-1].offset + 1, newest(records, self.applied))
        except BaseException:
            self.roll_back()
            raise

    def commit(self, position: int, applied: Mapping[str, int]) -> None:
        self.table.begin()
        self.database.execute("UPDATE place SET position = ?, applied = ?", (position, json.dumps(dict(applied))))
        self.database.execute("COMMIT")
        self.position, self.applied = position, dict(applied)
        os.utime(self.path)

    def size(self) -> int:
        """With what has not reached the file itself yet."""
        found: int = self.database.execute(_SIZE).fetchone()[0]
        return found

    def roll_back(self) -> None:
        if self.database.in_transaction:
            self.database.execute("ROLLBACK")

    def close(self) -> None:
        self.roll_back()
        self.database.close()


_SIZE = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
_PUT = "INSERT INTO state VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
_DELETE = "DELETE FROM state WHERE key = ?"
_GET = "SELECT value FROM state WHERE key = ?"
_PAGE = "SELECT key FROM state WHERE key > ? ORDER BY key LIMIT 1000"


class _Table(MutableMapping[bytes, bytes]):
    """Keys come in order. Reading and writing while one goes through them is fine."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def begin(self) -> None:
        if not self._database.in_transaction:
            self._database.execute("BEGIN")

    def __getitem__(self, key: bytes) -> bytes:
        row: tuple[bytes] | None = self._database.execute(_GET, (key,)).fetchone()
        if row is None:
            raise KeyError(key)
        return row[0]

    def __setitem__(self, key: bytes, value: bytes) -> None:
        self.begin()
        self._database.execute(_PUT, (key, value))

    def __delitem__(self, key: bytes) -> None:
        self.begin()
        if self._database.execute(_DELETE, (key,)).rowcount == 0:
            raise KeyError(key)

    def __iter__(self) -> Iterator[bytes]:
        last: bytes | None = None
        first = self._database.execute("SELECT key FROM state ORDER BY key LIMIT 1000").fetchall()
        page = first
        while page:
            for (last,) in page:
                yield last
            page = self._database.execute(_PAGE, (last,)).fetchall()

    def __len__(self) -> int:
        count: int = self._database.execute("SELECT count(*) FROM state").fetchone()[0]
        return count


def _open(path: Path) -> _File:
    """Raises StoreError where it is in use or out of reach. What can be read, and is no whole file, is of no use."""
    try:
        return _File(path)
    except sqlite3.OperationalError as fault:
        raise StoreError(f"{path} cannot be opened: {fault}", code="store-failed") from fault
    except (sqlite3.DatabaseError, ValueError) as fault:
        log.warning("%s is damaged (%s); it is thrown away, and the state is restored from the changelog", path, fault)
        _remove(path)
        return _File(path)


def _remove(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
