# SPDX-License-Identifier: Apache-2.0
"""Dataclasses that are objects of a JSON document: to dicts and back, fields by name, defaults left out."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Mapping
from functools import cache
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from segue._errors import DocumentError

Self = TypeVar("Self", bound="Document")


class Document:
    """Base of the frozen dataclasses. What a field's type says is how its JSON is read."""

    __slots__ = ()

    def document(self) -> dict[str, Any]:
        """The object as JSON has it, without what has its default."""
        kind: Any = type(self)
        rows = ((name, getattr(self, name), default) for name, default in _defaults(kind))
        return {name: _plain(value) for name, value, default in rows if value != default}

    @classmethod
    def of(cls: type[Self], document: Mapping[str, Any]) -> Self:
        """The object of a document. Raises DocumentError with the place of what does not belong there."""
        read: Self = _read(cls, document, "")
        return read


def _read(kind: Any, document: Any, place: str) -> Any:
    if not isinstance(document, Mapping):
        raise _fault(place, f"an object is wanted here, not {document!r}")
    hints = _hints(kind)
    known = {}
    for key, value in document.items():
        if key in hints:
            known[key] = _value(hints[key], value, f"{place}.{key}" if place else key)
        elif not str(key).startswith("x-"):
            raise _fault(f"{place}.{key}" if place else str(key), f"no such key; known are {', '.join(hints)}")
    for name, default in _defaults(kind):
        if default is dataclasses.MISSING and name not in known:
            raise _fault(place, f"{name} is missing")
    return kind(**known)


def _value(hint: Any, value: Any, place: str) -> Any:
    """Lists and objects are read by their types; everything else is left to libsegue."""
    options = get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    if value is None and type(None) in options:
        return None
    kind = options[0]
    if get_origin(kind) is tuple:
        return tuple(_items(get_args(kind)[0], value, place))
    if isinstance(kind, type) and issubclass(kind, Document):
        return _read(kind, value, place)
    if get_origin(kind) is Mapping:
        if not isinstance(value, Mapping):
            raise _fault(place, f"an object is wanted here, not {value!r}")
        return dict(value)
    return value


def _items(kind: Any, value: Any, place: str) -> list[Any]:
    if not isinstance(value, (list, tuple)):
        raise _fault(place, f"a list is wanted here, not {value!r}")
    return [_value(kind, item, f"{place}[{index}]") for index, item in enumerate(value)]


def _plain(value: Any) -> Any:
    if isinstance(value, (str, int, float)):
        return value
    if isinstance(value, Document):
        return value.document()
    if isinstance(value, Mapping):
        return dict(value)
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


@cache
def _defaults(kind: Any) -> tuple[tuple[str, Any], ...]:
    """Fields with what they are when absent: MISSING where they must be there."""
    return tuple(
        (one.name, one.default if one.default_factory is dataclasses.MISSING else one.default_factory())
        for one in dataclasses.fields(kind)
    )


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _fault(place: str, text: str) -> DocumentError:
    return DocumentError(f"{place}: {text}" if place else f"the document: {text}", code="bad-document")
