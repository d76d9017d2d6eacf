# SPDX-License-Identifier: Apache-2.0
"""A folder that belongs to one process at a time, and an id that lives as long as the folder."""

from __future__ import annotations

import fcntl
import os
import uuid
import weakref
from pathlib import Path

from segue._errors import ClosedError, InputError

_folders: weakref.WeakSet[Folder] = weakref.WeakSet()


class Folder:
    """Made where it is missing. Raises InputError where it cannot be made or written, and while another process has it.

    A child that a fork made has not got it: there it is closed. new: no process had it before.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        self._lock = -1
        try:
            self._open()
        except OSError as fault:
            self.close()
            raise InputError(
                f"{self._path} is no folder that can be written, nor can it be made one: {fault}", code="bad-argument"
            ) from fault
        _folders.add(self)

    @property
    def path(self) -> Path:
        """Raises ClosedError once it is closed: it may be another's by then."""
        if self._lock < 0:
            raise ClosedError(f"the store in {self._path} is closed, or belongs to another process", code="closed")
        return self._path

    @property
    def closed(self) -> bool:
        return self._lock < 0

    def _open(self) -> None:
        self._path.mkdir(parents=True, exist_ok=True)
        self._lock = os.open(self._path / "segue.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as fault:
            self.close()
            raise InputError(
                f"{self._path} is in use by another store; every process needs a folder of its own", code="bad-argument"
            ) from fault
        self.process_id = self._id()

    def _id(self) -> str:
        """Written whole or not at all, so that a process that ends meanwhile leaves no half."""
        file = self.path / "segue.process-id"
        self.new = not file.exists()
        try:
            return str(uuid.UUID(file.read_text().strip()))
        except (OSError, ValueError):
            made = str(uuid.uuid4())
        part = file.with_suffix(".part")
        part.write_text(made + "\n")
        part.replace(file)
        return made

    def close(self) -> None:
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def _after_fork() -> None:
    """The lock is the parent's alone: it ends with the parent, whatever lives on."""
    for folder in list(_folders):
        folder.close()


os.register_at_fork(after_in_child=_after_fork)
