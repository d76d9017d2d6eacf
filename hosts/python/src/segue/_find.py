# SPDX-License-Identifier: Apache-2.0
"""Where libsegue may lie, best place first."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
VARIABLE = "SEGUE_LIBRARY"
FILE = "libsegue.so.1"


@dataclass(frozen=True)
class Place:
    """A candidate, and how a message calls it."""

    name: str
    path: str

    @property
    def missing(self) -> bool:
        """A path that is not there needs no linker to say so; a bare name does."""
        return "/" in self.path and not os.path.exists(self.path)


def places(path: str | os.PathLike[str] | None) -> list[Place]:
    """A path that the user gave, by argument or by environment, is final; nothing else is tried then."""
    if path is not None:
        return [Place("the path given", os.path.abspath(path))]
    if named := os.environ.get(VARIABLE):
        return [Place(f"the environment's {VARIABLE}", os.path.abspath(named))]
    return list(_usual_places())


def _usual_places() -> Iterator[Place]:
    yield Place("bundled with the package", str(PACKAGE / FILE))
    # From a source tree: hosts/python/src/segue, four folders below its root.
    if len(PACKAGE.parents) > 3 and (PACKAGE.parents[3] / "abi/segue").is_dir():
        yield Place("the source tree's build", str(PACKAGE.parents[3] / "build/release" / FILE))
    # By its name alone: the linker knows where. (ctypes.util.find_library would start programs to ask.)
    yield Place("the system's libraries", FILE)
