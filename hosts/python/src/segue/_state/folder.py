# SPDX-License-Identifier: Apache-2.0
"""A folder that belongs to one process at a time, and an id that lives as long as the folder."""

from __future__ import annotations

import fcntl
import os
import uuid
from pathlib import Path

from segue._errors import InputError


class Folder:
    """Made where it is missing. Raises InputError while another process has it."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.path.mkdir(parents=True, exist_ok=True)
        self._lock = os.open(self.path / "segue.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as fault:
            os.close(self._lock)
            raise InputError(
                f"{self.path} is in use by another store; every process needs a folder of its own", code="bad-argument"
            ) from fault
        self.process_id = self._id()

    def _id(self) -> str:
        """Written whole or not at all, so that a process that ends meanwhile leaves no half."""
        file = self.path / "segue.process-id"
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
