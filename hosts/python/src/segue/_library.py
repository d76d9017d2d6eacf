# SPDX-License-Identifier: Apache-2.0
"""Loads libsegue on first use and probes it."""

from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass
from functools import cache

from segue import _abi
from segue._errors import LibraryError
from segue._find import Place, places

MAJOR = 1


@dataclass(frozen=True)
class Loaded:
    """libsegue, where it was found, and its version."""

    api: _abi.Library
    path: str
    version: str

    @property
    def folder(self) -> str | None:
        """Where the plugin of the same build lies; None when the system's linker chose the file."""
        return os.path.dirname(self.path) or None


def find_library(path: str | os.PathLike[str] | None = None) -> Loaded:
    """The first libsegue that loads and answers. Any thread. Raises LibraryError with every place that was tried."""
    tried = []
    for place in places(path):
        try:
            return _load(place.path)
        except _UnfitError as fault:
            tried.append(f"{place.name} ({place.path}): {fault}")
    raise LibraryError(
        f"libsegue is not to be had; tried {'; '.join(tried)}. Build it with packaging/build, or name a file in "
        "SEGUE_LIBRARY",
        code="system",
    )


class _UnfitError(Exception):
    pass


@cache
def _load(path: str) -> Loaded:
    if Place("", path).missing:
        raise _UnfitError("no such file")
    try:
        # CDLL gives the interpreter's lock back during each call.
        api = _abi.Library(ctypes.CDLL(path))
    except OSError as fault:
        raise _UnfitError(str(fault)) from fault
    except AttributeError as fault:
        raise _UnfitError(f"not a libsegue, or one older than this package: {fault}") from fault
    version = api.segue_version().decode()
    if version.split(".")[0] != str(MAJOR):
        raise _UnfitError(f"its version is {version}, and this package needs {MAJOR}")
    return Loaded(api, path, version)
