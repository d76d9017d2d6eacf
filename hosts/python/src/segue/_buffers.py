# SPDX-License-Identifier: Apache-2.0
"""Columns of the caller's, lent to libsegue for one call: whatever has the buffer protocol, read where it lies."""

from __future__ import annotations

import ctypes
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

from segue._abi import Column
from segue._errors import InputError

if TYPE_CHECKING:
    from typing_extensions import Buffer


class _Kind(NamedTuple):
    letters: str
    bytes: int
    words: str


# What the buffer protocol calls the elements of each C type, as array.array, memoryview, ctypes and numpy say it.
_KINDS = {
    ctypes.c_uint32: _Kind("IL", 4, "unsigned 32-bit integers (array 'I', numpy.uint32)"),
    ctypes.c_int64: _Kind("ql", 8, "signed 64-bit integers (array 'q', numpy.int64)"),
    ctypes.c_double: _Kind("d", 8, "doubles (array 'd', numpy.float64)"),
    ctypes.c_uint8: _Kind("B?", 1, "unsigned bytes (bytes, array 'B', numpy.uint8)"),
    ctypes.c_char: _Kind("Bcb", 1, "bytes (bytes, array 'B', numpy.uint8)"),
}


class _View(ctypes.Structure):
    """Py_buffer of the stable ABI."""

    _fields_ = (
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.c_void_p),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_void_p),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("suboffsets", ctypes.c_void_p),
        ("internal", ctypes.c_void_p),
    )


_get_buffer: Any = ctypes.pythonapi.PyObject_GetBuffer
_get_buffer.argtypes = [ctypes.py_object, ctypes.POINTER(_View), ctypes.c_int]
_get_buffer.restype = ctypes.c_int
_release_buffer: Any = ctypes.pythonapi.PyBuffer_Release
_release_buffer.argtypes = [ctypes.POINTER(_View)]
_release_buffer.restype = None
_SIMPLE = 0


class Loan:
    """Buffers that stay where they are until the `with` ends: an array that is lent cannot grow or go."""

    def __init__(self) -> None:
        self._views: list[_View] = []

    def take(self, column: Column, buffer: Buffer) -> tuple[int, int]:
        """Its address and its rows. Raises InputError when it is not what the column wants."""
        plain = _plain(column, buffer)
        view = _View()
        _get_buffer(plain, ctypes.byref(view), _SIMPLE)
        self._views.append(view)
        address, rows = view.buf or 0, plain.nbytes // plain.itemsize
        if rows and address % plain.itemsize:
            raise fault(column, f"the elements lie at {address:#x}, which is no multiple of {plain.itemsize}: copy it")
        return address, rows

    def __enter__(self) -> Loan:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for view in self._views:
            _release_buffer(ctypes.byref(view))
        self._views.clear()


def _plain(column: Column, buffer: Buffer) -> memoryview:
    """A view of the buffer, once it is known to be one row of elements of the column's type."""
    wanted = _KINDS[column.type]
    try:
        view = memoryview(buffer)
    except (TypeError, ValueError, BufferError) as given:
        raise fault(
            column, f"{wanted.words} are wanted, in a buffer; {type(buffer).__name__} is none: {given}"
        ) from None
    if view.ndim != 1 or not view.c_contiguous:
        raise fault(column, f"one contiguous dimension is wanted; this has shape {view.shape}, strides {view.strides}")
    order, letter = ("@", view.format) if len(view.format) == 1 else (view.format[0], view.format[1:])
    if order not in "@=<" or letter not in wanted.letters or view.itemsize != wanted.bytes:
        raise fault(column, f"{wanted.words} are wanted, little-endian; these have the format {view.format!r}")
    return view


def fault(column: Column, text: str) -> InputError:
    return InputError(f"{column.field}: {text}", code="bad-argument")
