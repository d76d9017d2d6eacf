# SPDX-License-Identifier: Apache-2.0
"""The JSON documents of side groups, format version 1; hosts/MARKS.md has the format."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

# A broker keeps 4,096 bytes of an offset's metadata unless it is told otherwise.
MOST_BYTES = 3_500
# Beyond this no time is meant.
GREATEST = 2**53
VERSION = 1

Document = dict[str, Any]


def now_ms() -> int:
    """By the clock that documents have."""
    return time.time_ns() // 1_000_000


def start(kind: str, **fields: Any) -> Document:
    """A document of a kind, with what is known of it: None is left out."""
    return {"v": VERSION, "kind": kind, **{key: value for key, value in fields.items() if value is not None}}


def write(document: Document, *optional: str) -> str:
    """Leaves the optional fields out, from the last, until the document is small enough."""
    text = _text(document)
    for field in reversed(optional):
        if len(text.encode()) <= MOST_BYTES:
            break
        document.pop(field, None)
        text = _text(document)
    return text


def read(text: str, kind: str) -> Mapping[str, Any] | None:
    """None for what is no document of this kind and version; foreign text must not stop anybody."""
    document = parse(text)
    known = document is not None and document.get("kind") == kind and _is_known(document.get("v"))
    return document if known else None


def parse(text: str) -> Document | None:
    """None for what is no JSON object."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def number(document: Mapping[str, Any], key: str) -> int | None:
    """A time or a count; None for what is neither, as the program `segue` reads it too."""
    value = document.get(key)
    return value if type(value) is int and 0 <= value <= GREATEST else None


def word(document: Mapping[str, Any], key: str) -> str:
    value = document.get(key)
    return value if isinstance(value, str) else ""


def plus(from_ms: int, span_ms: int) -> int:
    """A time after another; one that nobody lives to see is the greatest that there is."""
    return min(from_ms + max(0, span_ms), GREATEST)


def _is_known(version: Any) -> bool:
    return type(version) is int and version <= VERSION


def _text(document: Document) -> str:
    # What a clock of another system or a name in no known encoding says must not end the writer.
    return json.dumps(document, separators=(",", ":"))
