# SPDX-License-Identifier: Apache-2.0
"""Texts on their way to C and back. None is cut short there, silently."""

from __future__ import annotations

import os
from collections.abc import Iterable

from segue._errors import InputError


def text_of(text: bytes | None) -> str:
    return (text or b"").decode("utf-8", "replace")


def _whole(text: str, what: str) -> str:
    """C would cut it at a NUL, silently."""
    if not isinstance(text, str):
        raise InputError(f"{what} is a text, not {type(text).__name__}", code="bad-argument")
    if "\0" in text:
        raise InputError(f"{what} has no NUL character: {text!a} is given", code="bad-argument")
    return text


def words(text: str, what: str) -> bytes:
    return _whole(text, what).encode("utf-8", "surrogatepass")


def path_bytes(path: str | os.PathLike[str], what: str) -> bytes:
    plain = _whole(os.fsdecode(path), what)
    try:
        return os.fsencode(plain)
    except UnicodeEncodeError as fault:
        raise InputError(f"{what} has no such path in this locale: {plain!a} is given", code="bad-argument") from fault


def search_path(plugins: Iterable[str | os.PathLike[str]], beside: str | None) -> str | None:
    """The folders given, then the one beside libsegue, where the plugin of the same build lies."""
    folders = [os.fsdecode(folder) for folder in plugins]
    for folder in folders:
        if ":" in folder:
            raise InputError(f"a folder of plugins has no ':' in its path: {folder!a} is given", code="bad-argument")
    return ":".join(folders + ([beside] if beside and ":" not in beside else [])) or None
