# SPDX-License-Identifier: Apache-2.0
"""A group document in, a printed plan out, by libsegue's own writer: the same bytes as the native program's."""

from __future__ import annotations

import ctypes
from contextlib import ExitStack

from segue import _abi
from segue._host import Host
from segue._plan import Report
from segue._records import ErrorRecord, ReportRecord
from segue._texts import words

_INDENT = 1


def plan_text(host: Host, assignor: str, text: bytes, source: str, *, compact: bool) -> tuple[bytes, Report]:
    """Raises what `Host.assign_json` raises."""
    name, at = words(assignor, "an assignor's name"), ctypes.byref
    document, written, size = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_size_t()
    plan, bound = ctypes.POINTER(_abi.segue_plan)(), _abi.segue_bound(size=ctypes.sizeof(_abi.segue_bound))
    report, error, api = ReportRecord(), ErrorRecord(), host._api
    with host._use() as native, ExitStack() as owned:
        read = api.segue_document_read(text, len(text), words(source, "a source"), at(document), error.reference)
        host._check(read, error)
        owned.callback(api.segue_document_free, document.value)
        group = ctypes.cast(api.segue_document_group(document.value) or 0, ctypes.POINTER(_abi.segue_group))
        config = ctypes.cast(api.segue_document_config(document.value) or 0, ctypes.POINTER(_abi.segue_config))
        host._check(api.segue_host_bound(group, config, at(bound)), error)
        host._check(api.segue_plan_new(group.contents.task_count, at(bound), 1, at(plan)), error)
        owned.callback(api.segue_plan_free, plan)
        host._check(api.segue_host_assign(native, name, group, config, plan, report.reference, error.reference), error)
        told = report.read(host._word)
        indent = 0 if compact else _INDENT
        status = api.segue_document_write_plan(
            document.value, name, plan, told.elapsed_ns, indent, at(written), at(size), error.reference
        )
        host._check(status, error)
        owned.callback(api.segue_free, written.value)
        return ctypes.string_at(written.value or 0, size.value), told
