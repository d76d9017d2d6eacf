# SPDX-License-Identifier: Apache-2.0
"""The door to libsegue: open it, ask an assignor for a plan, close it."""

from __future__ import annotations

import ctypes
import json
import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any

from segue import _abi, _strategy
from segue._buffers import Loan
from segue._errors import DocumentError, FallbackWarning, InputError, SegueError
from segue._group import KIND, Group
from segue._group_columns import GroupColumns, lend
from segue._library import Loaded, find_library
from segue._owner import Owner
from segue._plan import Assignor, Decision, Metrics, Plan, Plugin, Recorded, Report
from segue._plan_columns import PlanColumns, PlanRoom
from segue._records import NONE, ErrorRecord, ReportRecord
from segue._strategy import Answer, Registration, Strategy
from segue._texts import path_bytes, search_path, text_of, words

_TRAIT_COLD = 1
_TRAIT_LEAVING = 2
_TRAIT_LOOSE = 4


class Host(Owner):
    """libsegue with its plugins. Made by `segue.load`. Any thread; calls run beside each other without the GIL.

    Use it in a `with`, or call `close()`.
    """

    def __init__(
        self,
        loaded: Loaded,
        plugins: Iterable[str | os.PathLike[str]],
        *,
        only: bool,
        record_path: str | os.PathLike[str] | None = None,
        isolation: str | None = None,
        max_faults: int | None = None,
    ) -> None:
        self._api = loaded.api
        self.library = loaded.path
        self.version = loaded.version
        self._search = search_path(plugins, None if only else loaded.folder)
        self._only = only
        self._record = None if record_path is None else path_bytes(os.path.abspath(record_path), "a file to record in")
        self._isolation = None if isolation is None else words(isolation, "an isolation")
        self._max_faults = _fault_bound(max_faults)
        self._loaded: list[bytes] = []
        self._registered: dict[bytes, Registration] = dict(_strategy.everywhere)
        super().__init__(self._open, self._api.segue_host_close)

    def assign(self, assignor: str, group: Group | Mapping[str, Any], *, warn: bool = True) -> Plan:
        """The plan of `assignor` for a group, typed or a group document as a dict.

        The plan is a new dict with typed parts: `plan["members"]` is the document's, `plan.members["S1"]` is typed.

        Lags are records, times milliseconds, sizes bytes. Where the assignor fails or breaks a rule the plan is the
        fallback's, `report.fallback` is true, and a FallbackWarning says why unless `warn` is false.
        Raises AssignorError, InputError.
        """
        text, report = self._answer(assignor, _document(group).encode(), None)
        if warn:
            _warn(assignor, report)
        return Plan(json.loads(text), report)

    def assign_recorded(self, assignor: str, group: Group | Mapping[str, Any], *, warn: bool = True) -> Recorded:
        """The same with what was asked, for who wants to ask again elsewhere: `segue plan` and `segue replay` do."""
        frame, size = ctypes.c_void_p(), ctypes.c_size_t()
        try:
            text, report = self._answer(assignor, _document(group).encode(), None, (frame, size))
            if warn:
                _warn(assignor, report)
            return Recorded(Plan(json.loads(text), report), ctypes.string_at(frame.value or 0, size.value))
        finally:
            self._api.segue_free(frame.value)

    def explain(
        self, assignor: str, group: Group | Mapping[str, Any], *, task: str | None = None, member: str | None = None
    ) -> tuple[Decision, ...]:
        """Why `assignor` would do what it would: its decisions with their sentences, all or those about one.

        Nothing about a task or member: it stays as it was. Raises as `assign` does, and InputError for an unknown one.
        """
        text, report = self._answer(assignor, _document(group).encode(), None)
        _warn(assignor, report)
        return Plan(json.loads(text), report).explain(task=task, member=member)

    def assign_json(
        self, assignor: str, group: bytes | bytearray | memoryview | str, *, source: str | None = None
    ) -> tuple[str, Report]:
        """The same over JSON texts. `source` is how messages call the text, such as a file's name."""
        text = group.encode("utf-8", "surrogatepass") if isinstance(group, str) else memoryview(group).tobytes()
        plan, report = self._answer(assignor, text, source)
        _warn(assignor, report)
        return plan, report

    def assign_columns(
        self, assignor: str, group: GroupColumns, *, decisions: bool = False, warn: bool = True
    ) -> PlanColumns:
        """The plan for a group as columns: the same answer as `assign`, without a document on the way.

        The group's columns are read where they lie, and not by this thread alone: nobody may change them meanwhile.
        The plan's columns are its own. `decisions` says whether the columns of decisions are filled.
        Raises AssignorError and InputError, which names the column, and the row as well where a value is at fault.
        """
        if not isinstance(group, GroupColumns):
            raise InputError(f"GroupColumns are wanted, not {type(group).__name__}", code="bad-argument")
        name = words(assignor, "an assignor's name")
        config = self._configuration(group.config)
        bound = _abi.segue_bound(size=ctypes.sizeof(_abi.segue_bound))
        report, error = ReportRecord(), ErrorRecord()
        with self._use() as host, Loan() as loan:
            columns = lend(group, loan)
            status = self._api.segue_host_bound(ctypes.byref(columns), ctypes.byref(config), ctypes.byref(bound))
            if status < 0:
                raise InputError("a plan for so many tasks and standbys has too many rows", code=self._word(status))
            room = PlanRoom(columns.task_count, bound, decisions=decisions)
            status = self._api.segue_host_assign(
                host, name, ctypes.byref(columns), ctypes.byref(config), ctypes.byref(room.struct), report.reference,
                error.reference,
            )  # fmt: skip
            self._check(status, error)
        _strategy.raise_put_aside()
        told = report.read(self._word)
        if warn:
            _warn(assignor, told)
        return room.read(told)

    def _configuration(self, config: Mapping[str, Any]) -> _abi.segue_config:
        """Read by libsegue as part of a document, so that columns and documents take the same values and words."""
        if not isinstance(config, Mapping):
            raise InputError(f"config is a mapping of names to values, not {config!r}", code="bad-argument")
        text = _document({"segue": KIND, "config": dict(config), "members": [{"id": "any"}]}).encode()
        document, error = ctypes.c_void_p(), ErrorRecord()
        self._check(
            self._api.segue_document_read(text, len(text), None, ctypes.byref(document), error.reference), error
        )
        try:
            address = self._api.segue_document_config(document.value)
            copy = ctypes.string_at(address or 0, ctypes.sizeof(_abi.segue_config))
        finally:
            self._api.segue_document_free(document.value)
        return _abi.segue_config.from_buffer_copy(copy)

    def _answer(
        self,
        assignor: str,
        text: bytes,
        source: str | None,
        frame: tuple[ctypes.c_void_p, ctypes.c_size_t] | None = None,
    ) -> tuple[str, Report]:
        """frame: places for what was asked and answered, which the caller frees."""
        plan, size = ctypes.c_void_p(), ctypes.c_size_t()
        report, error = ReportRecord(), ErrorRecord()
        with self._use() as host:
            asked = host, words(assignor, "an assignor's name"), text, len(text), words(source or "", "a source")
            told, fault = (ctypes.byref(plan), ctypes.byref(size)), (report.reference, error.reference)
            if frame is None:
                status = self._api.segue_host_assign_json(*asked, *told, *fault)
            else:
                status = self._api.segue_host_record_json(
                    *asked, *told, ctypes.byref(frame[0]), ctypes.byref(frame[1]), *fault
                )
            self._check(status, error)
            try:
                answer = ctypes.string_at(plan.value or 0, size.value).decode()
            finally:
                self._api.segue_free(plan.value)
        _strategy.raise_put_aside()
        return answer, report.read(self._word)

    def metrics(self) -> Metrics:
        """How plans came about since the host was opened; in a child after fork, since it was opened there."""
        record, error = _abi.segue_metrics(size=ctypes.sizeof(_abi.segue_metrics)), ErrorRecord()
        with self._use() as host:
            self._check(self._api.segue_host_metrics(host, ctypes.byref(record), error.reference), error)
        return Metrics(**{field.name: getattr(record, field.name) for field in fields(Metrics)})

    def reinstate(self, assignor: str | None = None) -> None:
        """Asks an assignor that was put aside again, and forgets its faults; without a name, all of them.

        Raises AssignorError for one that was not loaded here.
        """
        name, error = None if assignor is None else words(assignor, "an assignor's name"), ErrorRecord()
        with self._use() as host:
            self._check(self._api.segue_host_reinstate(host, name, error.reference), error)

    def load(self, plugin: str | os.PathLike[str]) -> None:
        """Loads one more plugin: a path when it has a "/", else a name on the search path. Raises PluginError."""
        path = path_bytes(plugin, "a plugin")
        with self._use() as host:
            self._load(host, path)
            # A child after fork may stand in another folder.
            self._loaded.append(os.path.abspath(path) if b"/" in path else path)

    def _load(self, host: int, path: bytes) -> None:
        error = ErrorRecord()
        self._check(self._api.segue_host_load(host, path, error.reference), error)

    def register(
        self,
        name: str,
        strategy: Strategy | Callable[[Group], Answer],
        *,
        version: str = "",
        summary: str = "",
        cold: bool = False,
        knows_leaving: bool = False,
        loose: bool = False,
    ) -> None:
        """An assignor of that name which is written in Python: an object with assign(group), or such a function.

        It is asked before any plugin, and replaces one of that name that was registered before; calls that run end on
        that. Its plans are judged as a plugin's, by what `cold`, `knows_leaving` and `loose` say of it, as `Assignor`
        has it. What it raises is logged with its trace, and answered by the fallback, whose report has the text. Many
        threads may ask it at once, each with the GIL. Raises InputError for a name that is none.
        """
        self._register(Registration.of(
            name, strategy, version=version, summary=summary, cold=cold, knows_leaving=knows_leaving, loose=loose
        ))  # fmt: skip

    def _register(self, registration: Registration) -> None:
        with self._use() as host:
            _strategy.register(self._api, host, registration)
            self._registered[registration.name] = registration

    def unregister(self, name: str) -> None:
        """The assignor of that name is asked no more. Raises AssignorError where none was registered."""
        key = words(name, "an assignor's name")
        with self._use() as host:
            _strategy.unregister(self._api, host, key)
            self._registered.pop(key, None)

    def _serve(self, name: str) -> None:
        error = ErrorRecord()
        with self._use() as host:
            self._check(self._api.segue_host_serve(host, words(name, "an assignor's name"), error.reference), error)
        _strategy.raise_put_aside()

    def assignors(self) -> list[Assignor]:
        """Every assignor that was registered, that was loaded, and that the search path offers."""
        return list(self._assignors())

    def _assignors(self) -> Iterator[Assignor]:
        row, error = _abi.segue_assignor_row(size=ctypes.sizeof(_abi.segue_assignor_row)), ErrorRecord()
        plugins = {one.path: (one.name, one.version) for one in self._plugins()}
        with self._use() as host:
            for index in range(NONE):
                status = self._api.segue_host_assignor(host, index, ctypes.byref(row), error.reference)
                if status == _abi.segue_status.SEGUE_E_NAME:
                    return
                self._check(status, error)
                path = text_of(row.plugin)
                name, version = plugins.get(path, ("", ""))
                yield Assignor(
                    name=text_of(row.name),
                    version=text_of(row.version),
                    summary=text_of(row.summary),
                    plugin=path,
                    cold=bool(row.traits & _TRAIT_COLD),
                    knows_leaving=bool(row.traits & _TRAIT_LEAVING),
                    plugin_name=name,
                    plugin_version=version,
                    loose=bool(row.traits & _TRAIT_LOOSE),
                )

    def plugins(self) -> list[Plugin]:
        """Every plugin that is listed: those loaded by hand, then those of the search path."""
        return list(self._plugins())

    def _plugins(self) -> Iterator[Plugin]:
        row, error = _abi.segue_plugin_row(size=ctypes.sizeof(_abi.segue_plugin_row)), ErrorRecord()
        with self._use() as host:
            for index in range(NONE):
                status = self._api.segue_host_plugin(host, index, ctypes.byref(row), error.reference)
                if status == _abi.segue_status.SEGUE_E_NAME:
                    return
                self._check(status, error)
                yield Plugin(text_of(row.name), text_of(row.version), text_of(row.path), row.abi_version)

    def _open(self) -> int:
        """Once for each process; in a child after fork with what the parent had loaded and registered."""
        options = _abi.segue_host_options(
            size=ctypes.sizeof(_abi.segue_host_options),
            only_path=self._only,
            plugin_path=path_bytes(self._search, "a folder of plugins") if self._search else None,
            record_path=self._record,
            isolation=self._isolation,
            max_faults=self._max_faults,
        )
        host, error = ctypes.c_void_p(), ErrorRecord()
        status = self._api.segue_host_open(ctypes.byref(options), ctypes.byref(host), error.reference)
        self._check(status, error)
        address = host.value or 0
        try:
            for path in self._loaded:
                self._load(address, path)
            for registration in self._registered.values():
                _strategy.register(self._api, address, registration)
        except SegueError:
            self._api.segue_host_close(address)
            raise
        return address

    def _word(self, status: int) -> str:
        return self._api.segue_status_word(status).decode()

    def _check(self, status: int, error: ErrorRecord) -> None:
        if status < 0:
            raise error.read(status, self._word)


def load(
    path: str | os.PathLike[str] | None = None,
    *,
    plugins: Iterable[str | os.PathLike[str]] = (),
    only_plugins: bool = False,
    record_path: str | os.PathLike[str] | None = None,
    isolation: str | None = None,
    max_faults: int | None = None,
) -> Host:
    """Opens libsegue.

    path: the file of libsegue; without it SEGUE_LIBRARY, then the bundled one, the source tree's, the system's.
    plugins: folders and files to search for plugins, after the environment's SEGUE_PLUGIN_PATH.
    only_plugins: search `plugins` and nothing else.
    record_path: file in which every group and its plan are written down, for `segue replay`; without it the
    environment's SEGUE_RECORD_PATH, or none.
    isolation: "none", "thread" or "process": how plugins are kept from this process; without it SEGUE_ISOLATION, then
    "thread". max_faults: an assignor with so many is put aside; without it 5, 0 for never.
    Raises LibraryError, which lists every place that was tried, and SegueError where the record cannot be opened.
    """
    return Host(
        find_library(path),
        plugins,
        only=only_plugins,
        record_path=record_path,
        isolation=isolation,
        max_faults=max_faults,
    )


def register(
    name: str,
    strategy: Strategy | Callable[[Group], Answer],
    *,
    version: str = "",
    summary: str = "",
    cold: bool = False,
    knows_leaving: bool = False,
    loose: bool = False,
) -> None:
    """The same for every host that is opened later on in this process, those of consumers too."""
    registration = Registration.of(
        name, strategy, version=version, summary=summary, cold=cold, knows_leaving=knows_leaving, loose=loose
    )
    with load() as host:
        host._register(registration)
    _strategy.everywhere[registration.name] = registration


def unregister(name: str) -> None:
    """Hosts that are opened from now on do not have it; those that are open keep it."""
    _strategy.everywhere.pop(words(name, "an assignor's name"), None)


def assignors() -> list[Assignor]:
    """Every assignor that `load()` offers."""
    with load() as host:
        return host.assignors()


def _fault_bound(max_faults: int | None) -> int:
    """As C has it: 0 for the default, NONE for no bound."""
    if max_faults is None:
        return 0
    if isinstance(max_faults, bool) or not isinstance(max_faults, int) or not 0 <= max_faults < NONE:
        raise InputError(f"max_faults is a number from 0, not {max_faults!r}", code="bad-argument")
    return max_faults or NONE


def _warn(assignor: str, report: Report) -> None:
    if report.fallback:
        warnings.warn(FallbackWarning(f"{assignor}: {report.text}"), stacklevel=3)


def _document(group: Group | Mapping[str, Any]) -> str:
    if not isinstance(group, Group | Mapping):
        raise InputError(f"a group is a Group or a mapping, not {type(group).__name__}", code="bad-argument")
    document = group.document() if isinstance(group, Group) else group
    try:
        return json.dumps(document if isinstance(document, dict) else dict(document), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as fault:
        raise DocumentError(f"the group is no JSON document: {fault}", code="bad-document") from fault
