# SPDX-License-Identifier: Apache-2.0
"""segue: moves the tasks of a stateful consumer group without moving their state cold.

    import segue

    with segue.load() as host:
        plan = host.assign("learner", group)

`group` and `plan` are the JSON documents group/1 and plan/1 as dicts. Importing loads nothing native; `load` does.
"""

from segue._errors import (
    AssignorError,
    ClosedError,
    ConfigError,
    DocumentError,
    FallbackWarning,
    GroupError,
    InputError,
    InternalError,
    LibraryError,
    PluginError,
    SegueError,
)
from segue._host import Host, assignors, load
from segue._plan import Assignor, Plan, Report

__version__ = "1.0.0"

__all__ = [
    "Assignor",
    "AssignorError",
    "ClosedError",
    "ConfigError",
    "DocumentError",
    "FallbackWarning",
    "GroupError",
    "Host",
    "InputError",
    "InternalError",
    "LibraryError",
    "Plan",
    "PluginError",
    "Report",
    "SegueError",
    "assignors",
    "load",
]
