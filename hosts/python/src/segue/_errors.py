# SPDX-License-Identifier: Apache-2.0
"""Everything that segue raises and warns.

SegueError                     code, text, path, rule, row
├── LibraryError               libsegue is not found, or not fit for this package
├── PluginError                a plugin is refused: no plugin, broken, or of another version
├── AssignorError              no assignor of that name
├── InputError (ValueError)    what was given is at fault
│   ├── DocumentError          no group document
│   ├── GroupError             a group that breaks a rule
│   └── ConfigError            a configuration value out of range, or an unknown key under "segue."
├── ClosedError                the host, or the consumer, was closed before
├── DrainError                 a consumer cannot be drained or swapped now
├── StateError                 a stateful consumer cannot go on as it was told to
│   ├── NotOwnedError          a partition is written that this member does not own
│   ├── StoreError             the store failed
│   └── ChangelogError         the changelog topic is missing, of another shape, or does not take what was written
└── InternalError              anything else: memory, the operating system, a defect

FallbackWarning (UserWarning)  the assignor gave no valid plan, and the fallback's is the answer
"""

from __future__ import annotations

import re

from segue._abi import segue_status

# How libsegue words a place at the front of a message, behind a source's name if it has one.
_PATHS = (
    # members[2].lag["0_1"]: ...
    re.compile(r'(?:^|: )([a-z_]+(?:\[(?:\d+|".*?")\]|\.\w+)*)(?=: )'),
    # copy_role[1] is 7: ..., of a column
    re.compile(r"^([a-z_]+\[\d+\])(?=[ ,])"),
    # members[0].any text: unknown key
    re.compile(r"(?:^|: )([^:]+)(?=: unknown key)"),
    re.compile(r"^(.+): unknown key"),
)


class SegueError(Exception):
    """Something that segue could not do.

    code: a stable word such as "bad-group"; text: one sentence that says what, where, and what would be right.
    path: the place in the document, as `members[1].threads`, or in the columns, as `copy_role[1]`, where the text names
    one.
    rule: number of the rule R1-R9 that a plan breaks; row: index of the offending row; both when known.
    """

    def __init__(self, text: str, *, code: str = "internal", rule: int | None = None, row: int | None = None) -> None:
        super().__init__(text)
        self.text = text
        self.code = code
        self.rule = rule
        self.row = row

    @property
    def path(self) -> str | None:
        return next((found[1] for pattern in _PATHS if (found := pattern.search(self.text))), None)


class LibraryError(SegueError):
    """libsegue is not found, or not fit for this package; the text lists what was tried."""


class PluginError(SegueError):
    """A plugin is refused."""


class AssignorError(SegueError):
    """No assignor of that name; the text lists those that there are."""


class InputError(SegueError, ValueError):
    """What was given is at fault."""


class DocumentError(InputError):
    """The text or dict is no group document."""


class GroupError(InputError):
    """The group breaks a rule that every group keeps."""


class ConfigError(InputError):
    """A configuration value is out of range, or a key under "segue." is not known."""


class ClosedError(SegueError):
    """The host, or the consumer, was closed before."""


class StateError(SegueError):
    """A stateful consumer cannot go on as it was told to."""


class NotOwnedError(StateError):
    """A partition is written that this member does not own."""


class StoreError(StateError):
    """The store failed; its own exception is the cause."""


class ChangelogError(StateError):
    """The changelog topic is missing, has another shape than the input, or does not take what was written."""


class DrainError(SegueError):
    """A consumer cannot be drained or swapped now: it is closed, its assignor heeds no marks, or Kafka refused."""


class InternalError(SegueError):
    """Memory, the operating system, or a defect of segue."""


class FallbackWarning(UserWarning):
    """The assignor gave no valid plan: owners keep their tasks, orphans went to their best copy, nothing else moved."""


_CLASSES: dict[int, type[SegueError]] = {
    segue_status.SEGUE_E_NAME: AssignorError,
    segue_status.SEGUE_E_ARGUMENT: InputError,
    segue_status.SEGUE_E_GROUP: GroupError,
    segue_status.SEGUE_E_CONFIG: ConfigError,
    segue_status.SEGUE_E_SYNTAX: DocumentError,
    segue_status.SEGUE_E_WIRE: DocumentError,
    segue_status.SEGUE_E_PLUGIN: PluginError,
    segue_status.SEGUE_E_VERSION: PluginError,
}


def error_of(status: int, text: str, *, code: str, rule: int | None, row: int | None) -> SegueError:
    """The exception for a status of libsegue: the one place that maps them."""
    return _CLASSES.get(status, InternalError)(text or code, code=code, rule=rule, row=row)
