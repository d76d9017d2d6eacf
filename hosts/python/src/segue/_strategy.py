# SPDX-License-Identifier: Apache-2.0
"""Assignors that are written in Python: libsegue calls them, and judges their plans as any other's.

One closure of ctypes serves all of them and lives as long as the process, so that none is freed while C is inside. What
C hands back is a number by which the strategy is found here.
"""

from __future__ import annotations

import ctypes
import itertools
import json
import logging
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

from segue import _abi
from segue._errors import InputError, InternalError, SegueError
from segue._group import Group
from segue._plan import MemberPlan
from segue._records import NONE, ErrorRecord
from segue._texts import words

log = logging.getLogger("segue")

Answer = Mapping[str, Any] | Iterable[MemberPlan]
"""A plan document as a dict (a `Plan` is one), or who should hold what."""

_PLAN = "plan/1"
# SEGUE_TRAIT_*
_COLD, _LEAVING, _LOOSE = 1, 2, 4


class Strategy(Protocol):
    """What can be registered, beside a plain function of the same shape.

    The answer is a function of the group alone: no clock, no memory of earlier calls, no order of the input. Several
    threads may ask at once. It may ask the host for the plan of another assignor, and change that.
    """

    def assign(self, group: Group) -> Answer:
        """Who should hold what after the rebalance. Members that are left out hold nothing."""
        ...


@dataclass(frozen=True, slots=True)
class Registration:
    """A strategy under its name, with what it says of itself."""

    name: bytes
    assign: Callable[[Group], Answer]
    traits: int
    version: bytes
    summary: bytes

    @classmethod
    def of(
        cls,
        name: str,
        strategy: Strategy | Callable[[Group], Answer],
        *,
        version: str,
        summary: str,
        cold: bool,
        knows_leaving: bool,
        loose: bool,
    ) -> Registration:
        """Raises InputError for what cannot be called."""
        assign = getattr(strategy, "assign", strategy)
        if not callable(assign):
            raise InputError(
                f"{name}: a function of a group, or an object with assign(group), is wanted, not {strategy!r}",
                code="bad-argument",
            )
        return cls(
            words(name, "an assignor's name"),
            assign,
            cold * _COLD | knows_leaving * _LEAVING | loose * _LOOSE,
            words(version, "a version"),
            words(summary, "a summary"),
        )


everywhere: dict[bytes, Registration] = {}
"""Those that every host has which is opened from now on."""


def answer(assign: Callable[[Group], Answer], group: Mapping[str, Any]) -> dict[str, Any]:
    """The plan document of a strategy for a group document. Raises whatever the strategy does."""
    given = assign(Group.of(group))
    if isinstance(given, Mapping):
        return {"segue": _PLAN, **given}
    return {"segue": _PLAN, "members": [_row(one) for one in given]}


def _row(member: MemberPlan) -> dict[str, Any]:
    if not isinstance(member, MemberPlan):
        raise TypeError(f"a plan document or MemberPlans are wanted, not {member!r}")
    return {
        "id": member.id,
        "active": list(member.active),
        "standby": list(member.standby),
        "learner": list(member.learner),
    }


# ---- what C calls ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Held:
    """As long as C may call it."""

    api: _abi.Library
    registration: Registration


class _PutAside(threading.local):
    """What cannot pass through C on its way to the end of the program."""

    fault: BaseException | None = None


_put_aside = _PutAside()
_held: dict[int, _Held] = {}
_keys = itertools.count(1)

_ASSIGN = ctypes.CFUNCTYPE(
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(_abi.segue_group),
    ctypes.POINTER(_abi.segue_config),
    ctypes.POINTER(_abi.segue_plan),
    ctypes.POINTER(_abi.segue_error),
)
_RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


def _on_assign(key: int, group: Any, config: Any, plan: Any, error: Any) -> int:
    held = _held[key]
    name = held.registration.name.decode()
    try:
        return _plan_of(held, name, group, config, plan)
    except SegueError as fault:
        return _tell(error, fault.text)
    except (KeyboardInterrupt, SystemExit) as fault:
        _put_aside.fault = fault
        return _tell(error, type(fault).__name__)
    except BaseException as fault:
        with suppress(BaseException):
            log.exception("%s: no plan; the fallback answers", name)
        return _tell(error, _words(fault))


def _words(fault: BaseException) -> str:
    """An exception cannot pass through C, and a strategy's own may raise another where it is asked for its text."""
    try:
        return f"{type(fault).__name__}: {fault}"
    except BaseException:
        return type(fault).__name__


def raise_put_aside() -> None:
    """After a call that may have asked a strategy: raises the KeyboardInterrupt or SystemExit that ended it."""
    fault, _put_aside.fault = _put_aside.fault, None
    if fault is not None:
        raise fault


def _plan_of(held: _Held, name: str, group: Any, config: Any, plan: Any) -> int:
    text, size, error = ctypes.c_void_p(), ctypes.c_size_t(), ErrorRecord()
    api = held.api
    _check(api, api.segue_document_write_group(
        group, config, 0, ctypes.byref(text), ctypes.byref(size), error.reference
    ), error)  # fmt: skip
    try:
        asked = json.loads(ctypes.string_at(text.value or 0, size.value))
    finally:
        api.segue_free(text.value)
    said = json.dumps(answer(held.registration.assign, asked), allow_nan=False).encode()
    _check(api, api.segue_document_read_plan(group, said, len(said), b"its plan", plan, error.reference), error)
    return 0


def _check(api: _abi.Library, status: int, error: ErrorRecord) -> None:
    if status < 0:
        raise error.read(status, lambda code: api.segue_status_word(code).decode())


def _tell(error: Any, text: str) -> int:
    """E_INTERNAL, with as much of the text as fits."""
    code = int(_abi.segue_status.SEGUE_E_INTERNAL)
    record = error.contents
    record.code, record.rule, record.row = code, 0, NONE
    room = record.text_size
    if room > 0:
        whole = text.encode("utf-8", "replace")[: room - 1].decode("utf-8", "ignore").encode()
        address = ctypes.cast(ctypes.addressof(record) + _abi.segue_error.text.offset, ctypes.POINTER(ctypes.c_void_p))
        ctypes.memmove(address.contents.value or 0, whole + b"\0", len(whole) + 1)
    return code


def _on_release(key: int) -> None:
    _held.pop(key, None)


@cache
def _closures() -> tuple[Any, Any]:
    """Made at the first need: they take memory that may be executed."""
    try:
        return _ASSIGN(_on_assign), _RELEASE(_on_release)
    except (MemoryError, OSError) as fault:
        raise InternalError(
            "an assignor in Python needs memory that may be executed, and the system gives none (SELinux's execmem, "
            f"systemd's MemoryDenyWriteExecute, noexec mounts): {fault}",
            code="system",
        ) from fault


# ---- registering -----------------------------------------------------------------------------------------------------


def register(api: _abi.Library, host: int, registration: Registration) -> None:
    """Raises InputError for a name that none may have, and InternalError where C cannot call Python."""
    if not _in_main_interpreter():
        raise InternalError("an assignor in Python is registered in the main interpreter alone", code="system")
    assign, release = _closures()
    key = next(_keys)
    _held[key] = _Held(api, registration)
    callback = _abi.segue_callback(
        size=ctypes.sizeof(_abi.segue_callback),
        traits=registration.traits,
        name=registration.name,
        version=registration.version,
        summary=registration.summary,
        context=key,
        assign=ctypes.cast(assign, ctypes.c_void_p),
        release=ctypes.cast(release, ctypes.c_void_p),
    )
    error = ErrorRecord()
    try:
        _check(api, api.segue_host_register(host, ctypes.byref(callback), error.reference), error)
    except SegueError:
        del _held[key]
        raise


def unregister(api: _abi.Library, host: int, name: bytes) -> None:
    """Raises AssignorError where none of that name is registered."""
    error = ErrorRecord()
    _check(api, api.segue_host_unregister(host, name, error.reference), error)


def _in_main_interpreter() -> bool:
    """C's callbacks find the main interpreter, whichever registered them."""
    here, main = ctypes.pythonapi.PyInterpreterState_Get, ctypes.pythonapi.PyInterpreterState_Main
    here.restype = main.restype = ctypes.c_void_p
    return bool(here() == main())
