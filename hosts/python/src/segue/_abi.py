# SPDX-License-Identifier: Apache-2.0
# Made by tools/make_abi.py from the C headers. Not to be edited: run that again.
"""The C border in ctypes: structs, enums, and the functions of libsegue with their types."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from enum import IntEnum
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ctypes import _CArgObject, _Pointer
    from typing import TypeAlias

    Address: TypeAlias = ctypes.c_void_p | ctypes.Array[ctypes.c_char] | int | None
    Out: TypeAlias = _CArgObject | None
    Text: TypeAlias = bytes | ctypes.Array[ctypes.c_char] | None


class Column(NamedTuple):
    """A column of a group or plan: its field, the type of its elements, its rows by the struct's counts, whether it has
    to be there."""

    field: str
    type: Any
    rows: Callable[[Any], int]
    required: bool



class segue_status(IntEnum):
    SEGUE_OK = 0
    SEGUE_E_ARGUMENT = -1
    SEGUE_E_VERSION = -2
    SEGUE_E_NAME = -3
    SEGUE_E_GROUP = -4
    SEGUE_E_CONFIG = -5
    SEGUE_E_SPACE = -6
    SEGUE_E_MEMORY = -7
    SEGUE_E_DEADLINE = -8
    SEGUE_E_INTERNAL = -9
    SEGUE_E_PLAN = -10
    SEGUE_E_SYNTAX = -11
    SEGUE_E_WIRE = -12
    SEGUE_E_PLUGIN = -13
    SEGUE_E_SYSTEM = -14


class segue_thread(IntEnum):
    SEGUE_THREAD_ANY = 1
    SEGUE_THREAD_SERIAL = 2


class segue_rack_strategy(IntEnum):
    SEGUE_RACK_NONE = 0
    SEGUE_RACK_MIN_TRAFFIC = 1
    SEGUE_RACK_BALANCE_SUBTOPOLOGY = 2


class segue_rebalancing_mode(IntEnum):
    SEGUE_MODE_INCREMENTAL = 0
    SEGUE_MODE_UPGRADING = 1


class segue_role(IntEnum):
    SEGUE_DORMANT = 0
    SEGUE_STANDBY = 1
    SEGUE_LEARNER = 2
    SEGUE_ACTIVE = 3


class segue_kind(IntEnum):
    SEGUE_KIND_KEEP_BACK = 1
    SEGUE_KIND_LEARN = 2
    SEGUE_KIND_HAND_OVER = 3
    SEGUE_KIND_PLACE = 4
    SEGUE_KIND_FORCE = 5
    SEGUE_KIND_STANDBY = 6
    SEGUE_KIND_DROP = 7


class segue_reason(IntEnum):
    SEGUE_REASON_BELOW_QUOTA = 1
    SEGUE_REASON_CAUGHT_UP = 2
    SEGUE_REASON_SAME_PROCESS = 3
    SEGUE_REASON_STATELESS = 4
    SEGUE_REASON_NO_OWNER = 5
    SEGUE_REASON_BEST_COPY = 6
    SEGUE_REASON_OWNER_RESTORING = 7
    SEGUE_REASON_LEAVING = 8
    SEGUE_REASON_DEADLINE_PASSED = 9
    SEGUE_REASON_NO_SLOT = 10
    SEGUE_REASON_WAITS_FOR_ALL = 11
    SEGUE_REASON_RESTORING = 12
    SEGUE_REASON_STANDBY_WANTED = 13
    SEGUE_REASON_FORMER_OWNER = 14
    SEGUE_REASON_NOT_WANTED = 15
    SEGUE_REASON_NOBODY_STAYS = 16
    SEGUE_REASON_COLD_MOVE = 17
    SEGUE_REASON_NO_THREADS = 18
    SEGUE_REASON_CONTESTED = 19
    SEGUE_REASON_FALLBACK = 20
    SEGUE_REASON_UNKNOWN_LAG = 21
    SEGUE_REASON_LESS_TRAFFIC = 22
    SEGUE_REASON_EXCHANGE = 23
    SEGUE_REASON_SPREAD = 24
    SEGUE_REASON_WEIGHT = 25
    SEGUE_REASON_NO_BYTES = 26
    SEGUE_REASON_QUOTA_WITH_STATE = 27
    SEGUE_REASON_ROOM_WITH_STATE = 28
    SEGUE_REASON_ROOM_LATER = 29
    SEGUE_REASON_REPLACED = 30
    SEGUE_REASON_CONTESTED_ELSEWHERE = 31
    SEGUE_REASON_KNOWN_COPY = 32
    SEGUE_REASON_WARMS_UP = 33


class segue_followup(IntEnum):
    SEGUE_FOLLOWUP_NONE = 0
    SEGUE_FOLLOWUP_LEARNERS_RESTORING = 1
    SEGUE_FOLLOWUP_MEMBERS_LEAVING = 2
    SEGUE_FOLLOWUP_FALLBACK = 3


class segue_error(ctypes.Structure):
    _fields_ = (
        ("size", ctypes.c_uint32),
        ("code", ctypes.c_int32),
        ("rule", ctypes.c_uint32),
        ("row", ctypes.c_uint32),
        ("text", ctypes.c_char_p),
        ("text_size", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
    )


class segue_config(ctypes.Structure):
    _fields_ = (
        ("size", ctypes.c_uint32),
        ("num_standby_replicas", ctypes.c_uint32),
        ("max_learners", ctypes.c_uint32),
        ("max_learners_per_member", ctypes.c_uint32),
        ("acceptable_recovery_lag", ctypes.c_int64),
        ("max_learning_bytes", ctypes.c_int64),
        ("probing_rebalance_interval_ms", ctypes.c_int64),
        ("max_compute_us", ctypes.c_int64),
        ("imbalance_percentage", ctypes.c_double),
        ("learner_partial_rebalance", ctypes.c_uint32),
        ("spread_subtopologies", ctypes.c_uint32),
        ("rack_strategy", ctypes.c_uint32),
        ("rebalancing_mode", ctypes.c_uint32),
    )


class segue_group(ctypes.Structure):
    _fields_ = (
        ("size", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
        ("now_ms", ctypes.c_int64),
        ("string_count", ctypes.c_uint32),
        ("string_bytes_size", ctypes.c_uint32),
        ("subtopology_count", ctypes.c_uint32),
        ("task_count", ctypes.c_uint32),
        ("member_count", ctypes.c_uint32),
        ("process_count", ctypes.c_uint32),
        ("copy_count", ctypes.c_uint32),
        ("rack_count", ctypes.c_uint32),
        ("task_rack_count", ctypes.c_uint32),
        ("tag_count", ctypes.c_uint32),
        ("string_offset", ctypes.POINTER(ctypes.c_uint32)),
        ("string_bytes", ctypes.c_char_p),
        ("subtopology_name", ctypes.POINTER(ctypes.c_uint32)),
        ("task_name", ctypes.POINTER(ctypes.c_uint32)),
        ("task_subtopology", ctypes.POINTER(ctypes.c_uint32)),
        ("task_partition", ctypes.POINTER(ctypes.c_uint32)),
        ("task_stateful", ctypes.POINTER(ctypes.c_uint8)),
        ("task_weight", ctypes.POINTER(ctypes.c_double)),
        ("task_state_bytes", ctypes.POINTER(ctypes.c_int64)),
        ("task_inputs", ctypes.POINTER(ctypes.c_uint32)),
        ("task_rack_start", ctypes.POINTER(ctypes.c_uint32)),
        ("task_rack", ctypes.POINTER(ctypes.c_uint32)),
        ("task_rack_inputs", ctypes.POINTER(ctypes.c_uint32)),
        ("member_name", ctypes.POINTER(ctypes.c_uint32)),
        ("member_process", ctypes.POINTER(ctypes.c_uint32)),
        ("member_threads", ctypes.POINTER(ctypes.c_uint32)),
        ("member_rack", ctypes.POINTER(ctypes.c_uint32)),
        ("member_leaving_ms", ctypes.POINTER(ctypes.c_int64)),
        ("member_deadline_ms", ctypes.POINTER(ctypes.c_int64)),
        ("member_tag", ctypes.POINTER(ctypes.c_uint32)),
        ("process_name", ctypes.POINTER(ctypes.c_uint32)),
        ("rack_name", ctypes.POINTER(ctypes.c_uint32)),
        ("tag_name", ctypes.POINTER(ctypes.c_uint32)),
        ("copy_start", ctypes.POINTER(ctypes.c_uint32)),
        ("copy_task", ctypes.POINTER(ctypes.c_uint32)),
        ("copy_role", ctypes.POINTER(ctypes.c_uint8)),
        ("copy_lag", ctypes.POINTER(ctypes.c_int64)),
    )


class segue_bound(ctypes.Structure):
    _fields_ = (
        ("size", ctypes.c_uint32),
        ("standby_rows", ctypes.c_uint32),
        ("decision_rows", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
    )


class segue_plan(ctypes.Structure):
    _fields_ = (
        ("size", ctypes.c_uint32),
        ("standby_capacity", ctypes.c_uint32),
        ("decision_capacity", ctypes.c_uint32),
        ("task_count", ctypes.c_uint32),
        ("standby_count", ctypes.c_uint32),
        ("decision_count", ctypes.c_uint32),
        ("followup_needed", ctypes.c_uint32),
        ("followup_reason", ctypes.c_uint32),
        ("followup_at_ms", ctypes.c_int64),
        ("moves", ctypes.c_uint32),
        ("min_moves", ctypes.c_uint32),
        ("learners", ctypes.c_uint32),
        ("optimal", ctypes.c_uint32),
        ("spread", ctypes.c_double),
        ("traffic", ctypes.c_int64),
        ("min_traffic", ctypes.c_int64),
        ("imbalance", ctypes.c_double),
        ("min_imbalance", ctypes.c_double),
        ("extra_moves", ctypes.c_uint32),
        ("held_back", ctypes.c_uint32),
        ("active", ctypes.POINTER(ctypes.c_uint32)),
        ("learner", ctypes.POINTER(ctypes.c_uint32)),
        ("standby_start", ctypes.POINTER(ctypes.c_uint32)),
        ("standby_member", ctypes.POINTER(ctypes.c_uint32)),
        ("decision_task", ctypes.POINTER(ctypes.c_uint32)),
        ("decision_kind", ctypes.POINTER(ctypes.c_uint8)),
        ("decision_reason", ctypes.POINTER(ctypes.c_uint16)),
        ("decision_from", ctypes.POINTER(ctypes.c_uint32)),
        ("decision_to", ctypes.POINTER(ctypes.c_uint32)),
        ("decision_number", ctypes.POINTER(ctypes.c_int64)),
    )


class segue_host_options(ctypes.Structure):
    _fields_ = (
        ("size", ctypes.c_uint32),
        ("only_path", ctypes.c_uint32),
        ("plugin_path", ctypes.c_char_p),
        ("record_path", ctypes.c_char_p),
        ("record_bytes", ctypes.c_uint64),
        ("isolation", ctypes.c_char_p),
        ("isolate_program", ctypes.c_char_p),
        ("max_faults", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
    )


class segue_plugin_row(ctypes.Structure):
    _fields_ = (
        ("size", ctypes.c_uint32),
        ("abi_version", ctypes.c_uint32),
        ("path", ctypes.c_char_p),
        ("name", ctypes.c_char_p),
        ("version", ctypes.c_char_p),
    )


class segue_assignor_row(ctypes.Structure):
    _fields_ = (
        ("size", ctypes.c_uint32),
        ("traits", ctypes.c_uint32),
        ("name", ctypes.c_char_p),
        ("version", ctypes.c_char_p),
        ("summary", ctypes.c_char_p),
        ("plugin", ctypes.c_char_p),
        ("faults", ctypes.c_uint32),
        ("aside", ctypes.c_uint32),
    )


class segue_callback(ctypes.Structure):
    _fields_ = (
        ("size", ctypes.c_uint32),
        ("traits", ctypes.c_uint32),
        ("name", ctypes.c_char_p),
        ("version", ctypes.c_char_p),
        ("summary", ctypes.c_char_p),
        ("context", ctypes.c_void_p),
        ("assign", ctypes.c_void_p),
        ("release", ctypes.c_void_p),
    )


class segue_report(ctypes.Structure):
    _fields_ = (
        ("size", ctypes.c_uint32),
        ("fallback", ctypes.c_uint32),
        ("status", ctypes.c_int32),
        ("rule", ctypes.c_uint32),
        ("row", ctypes.c_uint32),
        ("text_size", ctypes.c_uint32),
        ("text", ctypes.c_char_p),
        ("elapsed_ns", ctypes.c_uint64),
        ("plugin", ctypes.c_char_p),
        ("faults", ctypes.c_uint32),
        ("aside", ctypes.c_uint32),
    )


class segue_metrics(ctypes.Structure):
    _fields_ = (
        ("size", ctypes.c_uint32),
        ("aside", ctypes.c_uint32),
        ("plans", ctypes.c_uint64),
        ("fallbacks", ctypes.c_uint64),
        ("errors", ctypes.c_uint64),
        ("refused", ctypes.c_uint64),
        ("late", ctypes.c_uint64),
        ("died", ctypes.c_uint64),
        ("unstarted", ctypes.c_uint64),
        ("passed_over", ctypes.c_uint64),
        ("started", ctypes.c_uint64),
        ("processes", ctypes.c_uint32),
        ("threads", ctypes.c_uint32),
    )


ABI_VERSION = 1


GROUP_COLUMNS = (
    Column("string_offset", ctypes.c_uint32, lambda of: of.string_count + 1, True),
    Column("string_bytes", ctypes.c_char, lambda of: of.string_bytes_size, True),
    Column("subtopology_name", ctypes.c_uint32, lambda of: of.subtopology_count, True),
    Column("task_name", ctypes.c_uint32, lambda of: of.task_count, True),
    Column("task_subtopology", ctypes.c_uint32, lambda of: of.task_count, True),
    Column("task_partition", ctypes.c_uint32, lambda of: of.task_count, True),
    Column("task_stateful", ctypes.c_uint8, lambda of: of.task_count, True),
    Column("task_weight", ctypes.c_double, lambda of: of.task_count, False),
    Column("task_state_bytes", ctypes.c_int64, lambda of: of.task_count, False),
    Column("task_inputs", ctypes.c_uint32, lambda of: of.task_count, False),
    Column("task_rack_start", ctypes.c_uint32, lambda of: of.task_count + 1, False),
    Column("task_rack", ctypes.c_uint32, lambda of: of.task_rack_count, False),
    Column("task_rack_inputs", ctypes.c_uint32, lambda of: of.task_rack_count, False),
    Column("member_name", ctypes.c_uint32, lambda of: of.member_count, True),
    Column("member_process", ctypes.c_uint32, lambda of: of.member_count, True),
    Column("member_threads", ctypes.c_uint32, lambda of: of.member_count, True),
    Column("member_rack", ctypes.c_uint32, lambda of: of.member_count, False),
    Column("member_leaving_ms", ctypes.c_int64, lambda of: of.member_count, False),
    Column("member_deadline_ms", ctypes.c_int64, lambda of: of.member_count, False),
    Column("member_tag", ctypes.c_uint32, lambda of: of.tag_count * of.member_count, False),
    Column("process_name", ctypes.c_uint32, lambda of: of.process_count, True),
    Column("rack_name", ctypes.c_uint32, lambda of: of.rack_count, False),
    Column("tag_name", ctypes.c_uint32, lambda of: of.tag_count, False),
    Column("copy_start", ctypes.c_uint32, lambda of: of.member_count + 1, True),
    Column("copy_task", ctypes.c_uint32, lambda of: of.copy_count, True),
    Column("copy_role", ctypes.c_uint8, lambda of: of.copy_count, True),
    Column("copy_lag", ctypes.c_int64, lambda of: of.copy_count, False),
)


PLAN_COLUMNS = (
    Column("active", ctypes.c_uint32, lambda of: of.task_count, True),
    Column("learner", ctypes.c_uint32, lambda of: of.task_count, True),
    Column("standby_start", ctypes.c_uint32, lambda of: of.task_count + 1, True),
    Column("standby_member", ctypes.c_uint32, lambda of: of.standby_capacity, True),
    Column("decision_task", ctypes.c_uint32, lambda of: of.decision_capacity, True),
    Column("decision_kind", ctypes.c_uint8, lambda of: of.decision_capacity, True),
    Column("decision_reason", ctypes.c_uint16, lambda of: of.decision_capacity, True),
    Column("decision_from", ctypes.c_uint32, lambda of: of.decision_capacity, True),
    Column("decision_to", ctypes.c_uint32, lambda of: of.decision_capacity, True),
    Column("decision_number", ctypes.c_int64, lambda of: of.decision_capacity * 4, True),
)

PLAN_RESULTS = (
    "task_count",
    "standby_count",
    "decision_count",
    "followup_needed",
    "followup_reason",
    "followup_at_ms",
    "moves",
    "min_moves",
    "learners",
    "optimal",
    "spread",
    "traffic",
    "min_traffic",
    "imbalance",
    "min_imbalance",
    "extra_moves",
    "held_back",
)

CONFIG_KEYS = (
    "num.standby.replicas",
    "max.warmup.replicas",
    "segue.max.learners.per.member",
    "acceptable.recovery.lag",
    "segue.max.learning.bytes",
    "probing.rebalance.interval.ms",
    "segue.max.compute.ms",
    "stream.imbalance.percentage",
    "learner.partial.rebalance",
    "segue.spread.subtopologies",
    "rack.aware.assignment.strategy",
    "stream.rebalancing.mode",
)


class Library:
    """libsegue: each function of segue/host.h under its own name."""

    def __init__(self, dll: ctypes.CDLL) -> None:
        self._dll = dll
        dll.segue_host_open.argtypes = [ctypes.POINTER(segue_host_options), ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(segue_error)]
        dll.segue_host_open.restype = ctypes.c_int32
        dll.segue_host_close.argtypes = [ctypes.c_void_p]
        dll.segue_host_close.restype = None
        dll.segue_host_load.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(segue_error)]
        dll.segue_host_load.restype = ctypes.c_int32
        dll.segue_host_plugin.argtypes = [ctypes.c_void_p, ctypes.c_uint32, ctypes.POINTER(segue_plugin_row), ctypes.POINTER(segue_error)]
        dll.segue_host_plugin.restype = ctypes.c_int32
        dll.segue_host_assignor.argtypes = [ctypes.c_void_p, ctypes.c_uint32, ctypes.POINTER(segue_assignor_row), ctypes.POINTER(segue_error)]
        dll.segue_host_assignor.restype = ctypes.c_int32
        dll.segue_host_register.argtypes = [ctypes.c_void_p, ctypes.POINTER(segue_callback), ctypes.POINTER(segue_error)]
        dll.segue_host_register.restype = ctypes.c_int32
        dll.segue_host_unregister.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(segue_error)]
        dll.segue_host_unregister.restype = ctypes.c_int32
        dll.segue_host_serve.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(segue_error)]
        dll.segue_host_serve.restype = ctypes.c_int32
        dll.segue_host_assign.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(segue_group), ctypes.POINTER(segue_config), ctypes.POINTER(segue_plan), ctypes.POINTER(segue_report), ctypes.POINTER(segue_error)]
        dll.segue_host_assign.restype = ctypes.c_int32
        dll.segue_host_reinstate.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(segue_error)]
        dll.segue_host_reinstate.restype = ctypes.c_int32
        dll.segue_host_metrics.argtypes = [ctypes.c_void_p, ctypes.POINTER(segue_metrics), ctypes.POINTER(segue_error)]
        dll.segue_host_metrics.restype = ctypes.c_int32
        dll.segue_host_bound.argtypes = [ctypes.POINTER(segue_group), ctypes.POINTER(segue_config), ctypes.POINTER(segue_bound)]
        dll.segue_host_bound.restype = ctypes.c_int32
        dll.segue_host_assign_wire.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint32, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(ctypes.c_size_t), ctypes.POINTER(segue_report), ctypes.POINTER(segue_error)]
        dll.segue_host_assign_wire.restype = ctypes.c_int32
        dll.segue_wire_plan_room.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint32]
        dll.segue_wire_plan_room.restype = ctypes.c_size_t
        dll.segue_host_assign_json.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_size_t), ctypes.POINTER(segue_report), ctypes.POINTER(segue_error)]
        dll.segue_host_assign_json.restype = ctypes.c_int32
        dll.segue_host_record_json.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_size_t), ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_size_t), ctypes.POINTER(segue_report), ctypes.POINTER(segue_error)]
        dll.segue_host_record_json.restype = ctypes.c_int32
        dll.segue_free.argtypes = [ctypes.c_void_p]
        dll.segue_free.restype = None
        dll.segue_document_read.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(segue_error)]
        dll.segue_document_read.restype = ctypes.c_int32
        dll.segue_document_group.argtypes = [ctypes.c_void_p]
        dll.segue_document_group.restype = ctypes.c_void_p
        dll.segue_document_config.argtypes = [ctypes.c_void_p]
        dll.segue_document_config.restype = ctypes.c_void_p
        dll.segue_document_free.argtypes = [ctypes.c_void_p]
        dll.segue_document_free.restype = None
        dll.segue_document_write_group.argtypes = [ctypes.POINTER(segue_group), ctypes.POINTER(segue_config), ctypes.c_uint32, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_size_t), ctypes.POINTER(segue_error)]
        dll.segue_document_write_group.restype = ctypes.c_int32
        dll.segue_document_write_plan.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(segue_plan), ctypes.c_uint64, ctypes.c_uint32, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_size_t), ctypes.POINTER(segue_error)]
        dll.segue_document_write_plan.restype = ctypes.c_int32
        dll.segue_document_read_plan.argtypes = [ctypes.POINTER(segue_group), ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.POINTER(segue_plan), ctypes.POINTER(segue_error)]
        dll.segue_document_read_plan.restype = ctypes.c_int32
        dll.segue_wire_read_plan.argtypes = [ctypes.POINTER(segue_group), ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(segue_plan), ctypes.POINTER(segue_error)]
        dll.segue_wire_read_plan.restype = ctypes.c_int32
        dll.segue_plan_count.argtypes = [ctypes.POINTER(segue_group), ctypes.POINTER(segue_plan), ctypes.POINTER(segue_error)]
        dll.segue_plan_count.restype = ctypes.c_int32
        dll.segue_plan_new.argtypes = [ctypes.c_uint32, ctypes.POINTER(segue_bound), ctypes.c_uint32, ctypes.POINTER(ctypes.POINTER(segue_plan))]
        dll.segue_plan_new.restype = ctypes.c_int32
        dll.segue_plan_free.argtypes = [ctypes.POINTER(segue_plan)]
        dll.segue_plan_free.restype = None
        dll.segue_group_check.argtypes = [ctypes.POINTER(segue_group), ctypes.POINTER(segue_error)]
        dll.segue_group_check.restype = ctypes.c_int32
        dll.segue_plan_check.argtypes = [ctypes.POINTER(segue_group), ctypes.POINTER(segue_config), ctypes.POINTER(segue_plan), ctypes.c_uint32, ctypes.POINTER(segue_error)]
        dll.segue_plan_check.restype = ctypes.c_int32
        dll.segue_plan_fallback.argtypes = [ctypes.POINTER(segue_group), ctypes.POINTER(segue_config), ctypes.POINTER(segue_plan)]
        dll.segue_plan_fallback.restype = ctypes.c_int32
        dll.segue_config_init.argtypes = [ctypes.POINTER(segue_config)]
        dll.segue_config_init.restype = None
        dll.segue_config_set.argtypes = [ctypes.POINTER(segue_config), ctypes.c_char_p, ctypes.c_char_p, ctypes.POINTER(segue_error)]
        dll.segue_config_set.restype = ctypes.c_int32
        dll.segue_wire_encode_group.argtypes = [ctypes.POINTER(segue_group), ctypes.POINTER(segue_config), ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(ctypes.c_size_t), ctypes.POINTER(segue_error)]
        dll.segue_wire_encode_group.restype = ctypes.c_int32
        dll.segue_wire_decode_group.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(segue_group), ctypes.POINTER(segue_config), ctypes.POINTER(segue_error)]
        dll.segue_wire_decode_group.restype = ctypes.c_int32
        dll.segue_wire_encode_plan.argtypes = [ctypes.POINTER(segue_plan), ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(ctypes.c_size_t), ctypes.POINTER(segue_error)]
        dll.segue_wire_encode_plan.restype = ctypes.c_int32
        dll.segue_wire_decode_plan.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(segue_plan), ctypes.POINTER(segue_error)]
        dll.segue_wire_decode_plan.restype = ctypes.c_int32
        dll.segue_status_word.argtypes = [ctypes.c_int32]
        dll.segue_status_word.restype = ctypes.c_char_p
        dll.segue_kind_word.argtypes = [ctypes.c_uint32]
        dll.segue_kind_word.restype = ctypes.c_char_p
        dll.segue_reason_word.argtypes = [ctypes.c_uint32]
        dll.segue_reason_word.restype = ctypes.c_char_p
        dll.segue_followup_word.argtypes = [ctypes.c_uint32]
        dll.segue_followup_word.restype = ctypes.c_char_p
        dll.segue_decision_text.argtypes = [ctypes.POINTER(segue_group), ctypes.POINTER(segue_plan), ctypes.c_uint32, ctypes.c_char_p, ctypes.c_size_t]
        dll.segue_decision_text.restype = ctypes.c_size_t
        dll.segue_version.argtypes = []
        dll.segue_version.restype = ctypes.c_char_p

    def segue_host_open(self, options: _Pointer[segue_host_options] | Out, host: Out, error: _Pointer[segue_error] | Out) -> int:
        result: int = self._dll.segue_host_open(options, host, error)
        return result

    def segue_host_close(self, host: Address) -> None:
        self._dll.segue_host_close(host)

    def segue_host_load(self, host: Address, plugin: Text, error: _Pointer[segue_error] | Out) -> int:
        result: int = self._dll.segue_host_load(host, plugin, error)
        return result

    def segue_host_plugin(self, host: Address, index: int, row: _Pointer[segue_plugin_row] | Out, error: _Pointer[segue_error] | Out) -> int:
        result: int = self._dll.segue_host_plugin(host, index, row, error)
        return result

    def segue_host_assignor(self, host: Address, index: int, row: _Pointer[segue_assignor_row] | Out, error: _Pointer[segue_error] | Out) -> int:
        result: int = self._dll.segue_host_assignor(host, index, row, error)
        return result

    def segue_host_register(self, host: Address, callback: _Pointer[segue_callback] | Out, error: _Pointer[segue_error] | Out) -> int:
        result: int = self._dll.segue_host_register(host, callback, error)
        return result

    def segue_host_unregister(self, host: Address, name: Text, error: _Pointer[segue_error] | Out) -> int:
        result: int = self._dll.segue_host_unregister(host, name, error)
        return result

    def segue_host_serve(self, host: Address, assignor: Text, error: _Pointer[segue_error] | Out) -> int:
        result: int = self._dll.segue_host_serve(host, assignor, error)
        return result

    def segue_host_assign(self, host: Address, assignor: Text, group: _Pointer[segue_group] | Out, config: _Pointer[segue_config] | Out, plan: _Pointer[segue_plan] | Out, report: _Pointer[segue_report] | Out, error: _Pointer[segue_error] | Out) -> int:
        result: int = self._dll.segue_host_assign(host, assignor, group, config, plan, report, error)
        return result

    def segue_host_reinstate(self, host: Address, assignor: Text, error: _Pointer[segue_error] | Out) -> int:
        result: int = self._dll.segue_host_reinstate(host, assignor, error)
        return result

    def segue_host_metrics(self, host: Address, metrics: _Pointer[segue_metrics] | Out, error: _Pointer[segue_error] | Out) -> int:
        result: int = self._dll.segue_host_metrics(host, metrics, error)
        return result

    def segue_host_bound(self, group: _Pointer[segue_group] | Out, config: _Pointer[segue_config] | Out, bound: _Pointer[segue_bound] | Out) -> int:
        result: int = self._dll.segue_host_bound(group, config, bound)
        return result

    def segue_host_assign_wire(self, host: Address, assignor: Text, with_decisions: int, group: Address, group_size: int, plan: Address, plan_capacity: int, plan_size: Out, report: _Pointer[segue_report] | Out, error: _Pointer[segue_error] | Out) -> int:
        result: int = self._dll.segue_host_assign_wire(host, assignor, with_decisions, group, group_size, plan, plan_capacity, plan_size, report, error)
        return result

    def segue_wire_plan_room(self, group: Address, group_size: int, with_decisions: int) -> int:
        result: int = self._dll.segue_wire_plan_room(group, group_size, with_decisions)
        return result

    def segue_host_assign_json(self, host: Address, assignor: Text, group: Text, group_size: int, source: Text, plan: Out, plan_size: Out, report: _Pointer[segue_report] | Out, error: _Pointer[segue_error] | Out) -> int:
        result: int = self._dll.segue_host_assign_json(host, assignor, group, group_size, source, plan, plan_size, report, error)
        return result

    def segue_host_record_json(self, host: Address, assignor: Text, group: Text, group_size: int, source: Text, plan: Out, plan_size: Out, frame: Out, frame_size: Out, report: _Pointer[segue_report] | Out, error: _Pointer[segue_error] | Out) -> int:
        result: int = self._dll.segue_host_record_json(host, assignor, group, group_size, source, plan, plan_size, frame, frame_size, report, error)
        return result

    def segue_free(self, memory: Address) -> None:
        self._dll.segue_free(memory)

    def segue_document_read(self, text: Text, size: int, source: Text, document: Out, error: _Pointer[segue_error] | Out) -> int:
        result: int = self._dll.segue_document_read(text, size, source, document, error)
        return result

    def segue_document_group(self, document: Address) -> int | None:
        result: int | None = self._dll.segue_document_group(document)
        return result

    def segue_document_config(self, document: Address) -> int | None:
        result: int | None = self._dll.segue_document_config(document)
        return result

    def segue_document_free(self, document: Address) -> None:
        self._dll.segue_document_free(document)

    def segue_document_write_group(self, group: _Pointer[segue_group] | Out, config: _Pointer[segue_config] | Out, indent: int, text: Out, size: Out, error: _Pointer[segue_error] | Out) -> int:
        result: int = self._dll.segue_document_write_group(group, config, indent, text, size, error)
        return result

    def segue_document_write_plan(self, document: Address, assignor: Text, plan: _Pointer[segue_plan] | Out, elapsed_ns: int, indent: int, text: Out, size: Out, error: _Pointer[segue_error] | Out) -> int:
        result: int = self._dll.segue_document_write_plan(document, assignor, plan, elapsed_ns, indent, text, size, error)
        return result

    def segue_document_read_plan(self, group: _Pointer[segue_group] | Out, text: Text, size: int, source: Text, plan: _Pointer[segue_plan] | Out, error: _Pointer[segue_error] | Out) -> int:
        result: int = self._dll.segue_document_read_plan(group, text, size, source, plan, error)
        return result

    def segue_wire_read_plan(self, group: _Pointer[segue_group] | Out, buffer: Address, size: int, plan: _Pointer[segue_plan] | Out, error: _Pointer[segue_error] | Out) -> int:
        result: int = self._dll.segue_wire_read_plan(group, buffer, size, plan, error)
        return result

    def segue_plan_count(self, group: _Pointer[segue_group] | Out, plan: _Pointer[segue_plan] | Out, error: _Pointer[segue_error] | Out) -> int:
        result: int = self._dll.segue_plan_count(group, plan, error)
        return result

    def segue_plan_new(self, task_count: int, bound: _Pointer[segue_bound] | Out, with_decisions: int, plan: Out) -> int:
        result: int = self._dll.segue_plan_new(task_count, bound, with_decisions, plan)
        return result

    def segue_plan_free(self, plan: _Pointer[segue_plan] | Out) -> None:
        self._dll.segue_plan_free(plan)

    def segue_group_check(self, group: _Pointer[segue_group] | Out, error: _Pointer[segue_error] | Out) -> int:
        result: int = self._dll.segue_group_check(group, error)
        return result

    def segue_plan_check(self, group: _Pointer[segue_group] | Out, config: _Pointer[segue_config] | Out, plan: _Pointer[segue_plan] | Out, traits: int, error: _Pointer[segue_error] | Out) -> int:
        result: int = self._dll.segue_plan_check(group, config, plan, traits, error)
        return result

    def segue_plan_fallback(self, group: _Pointer[segue_group] | Out, config: _Pointer[segue_config] | Out, plan: _Pointer[segue_plan] | Out) -> int:
        result: int = self._dll.segue_plan_fallback(group, config, plan)
        return result

    def segue_config_init(self, config: _Pointer[segue_config] | Out) -> None:
        self._dll.segue_config_init(config)

    def segue_config_set(self, config: _Pointer[segue_config] | Out, key: Text, value: Text, error: _Pointer[segue_error] | Out) -> int:
        result: int = self._dll.segue_config_set(config, key, value, error)
        return result

    def segue_wire_encode_group(self, group: _Pointer[segue_group] | Out, config: _Pointer[segue_config] | Out, buffer: Address, capacity: int, size: Out, error: _Pointer[segue_error] | Out) -> int:
        result: int = self._dll.segue_wire_encode_group(group, config, buffer, capacity, size, error)
        return result

    def segue_wire_decode_group(self, buffer: Address, size: int, group: _Pointer[segue_group] | Out, config: _Pointer[segue_config] | Out, error: _Pointer[segue_error] | Out) -> int:
        result: int = self._dll.segue_wire_decode_group(buffer, size, group, config, error)
        return result

    def segue_wire_encode_plan(self, plan: _Pointer[segue_plan] | Out, buffer: Address, capacity: int, size: Out, error: _Pointer[segue_error] | Out) -> int:
        result: int = self._dll.segue_wire_encode_plan(plan, buffer, capacity, size, error)
        return result

    def segue_wire_decode_plan(self, buffer: Address, size: int, plan: _Pointer[segue_plan] | Out, error: _Pointer[segue_error] | Out) -> int:
        result: int = self._dll.segue_wire_decode_plan(buffer, size, plan, error)
        return result

    def segue_status_word(self, status: int) -> bytes:
        result: bytes = self._dll.segue_status_word(status)
        return result

    def segue_kind_word(self, kind: int) -> bytes:
        result: bytes = self._dll.segue_kind_word(kind)
        return result

    def segue_reason_word(self, reason: int) -> bytes:
        result: bytes = self._dll.segue_reason_word(reason)
        return result

    def segue_followup_word(self, followup: int) -> bytes:
        result: bytes = self._dll.segue_followup_word(followup)
        return result

    def segue_decision_text(self, group: _Pointer[segue_group] | Out, plan: _Pointer[segue_plan] | Out, decision: int, text: Text, size: int) -> int:
        result: int = self._dll.segue_decision_text(group, plan, decision, text, size)
        return result

    def segue_version(self) -> bytes:
        result: bytes = self._dll.segue_version()
        return result
