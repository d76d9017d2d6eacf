# SPDX-License-Identifier: Apache-2.0
"""segue: moves the tasks of a stateful consumer group without moving their state cold.

    import segue

    with segue.load() as host:
        plan = host.assign("learner", group)

`group` is a `Group`, or the JSON document group/1 as a dict; `plan` is the document plan/1 as a dict, with typed parts.
Importing loads nothing native; `load` does.
"""

from segue._drain.instance import Instance
from segue._drain.led import Led
from segue._drain.pending import Pending
from segue._drain.serving import asgi
from segue._drain.sigterm import drain_on_sigterm
from segue._drain.state import DrainResult, DrainState, Phase
from segue._errors import (
    AssignorError,
    ChangelogError,
    ClosedError,
    ConfigError,
    DocumentError,
    DrainError,
    FallbackWarning,
    GroupError,
    InputError,
    InternalError,
    LibraryError,
    NotOwnedError,
    PluginError,
    SegueError,
    StateError,
    StoreError,
)
from segue._group import Group, InputPartition, Leaving, Member, Subtopology, Task
from segue._group_columns import GroupColumns
from segue._host import Host, assignors, load, register, unregister
from segue._plan import Assignor, Decision, Followup, MemberPlan, Metrics, Plan, Plugin, Recorded, Report, Stats
from segue._plan_columns import PlanColumns
from segue._serve import serve
from segue._state.memory import MemoryStore
from segue._state.sqlite import SqliteStore
from segue._state.store import Record, Store, TableStore
from segue._strategy import Strategy
from segue._strings import StringTable

__version__ = "1.0.0"

__all__ = [
    "Assignor",
    "AssignorError",
    "ChangelogError",
    "ClosedError",
    "ConfigError",
    "Decision",
    "DocumentError",
    "DrainError",
    "DrainResult",
    "DrainState",
    "FallbackWarning",
    "Followup",
    "Group",
    "GroupColumns",
    "GroupError",
    "Host",
    "InputError",
    "InputPartition",
    "Instance",
    "InternalError",
    "Leaving",
    "Led",
    "LibraryError",
    "Member",
    "MemberPlan",
    "MemoryStore",
    "Metrics",
    "NotOwnedError",
    "Pending",
    "Phase",
    "Plan",
    "PlanColumns",
    "Plugin",
    "PluginError",
    "Record",
    "Recorded",
    "Report",
    "SegueError",
    "SqliteStore",
    "StateError",
    "Stats",
    "Store",
    "StoreError",
    "Strategy",
    "StringTable",
    "Subtopology",
    "TableStore",
    "Task",
    "asgi",
    "assignors",
    "drain_on_sigterm",
    "load",
    "register",
    "serve",
    "unregister",
]
