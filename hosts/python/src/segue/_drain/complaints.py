# SPDX-License-Identifier: Apache-2.0
"""Says once that side groups cannot be reached, and once that they can again."""

from __future__ import annotations

import logging

from segue._drain.channel import NotAllowed

log = logging.getLogger("segue")


class Complaints:
    """For one thing that is done again and again. A broker that is just starting or moving is none to complain of: that
    takes a second failure, but for a missing right. For one thread.
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._failures = 0
        self._complained = False

    def failed(self, what: str, consequence: str, cause: BaseException) -> None:
        self._failures += 1
        if not self._complained and (self._failures > 1 or isinstance(cause, NotAllowed)):
            log.warning("cannot %s: %s; %s", what, reason(cause, self._prefix), consequence)
            self._complained = True

    def worked(self, what: str) -> None:
        if self._complained:
            log.info("can %s again", what)
        self._failures, self._complained = 0, False


def reason(cause: BaseException, prefix: str) -> str:
    """What would be right, where that can be said."""
    if isinstance(cause, NotAllowed):
        return (
            f"the application needs the ACL operations Read and Delete on groups with the prefix '{prefix}' and Read on"
            f" its topics ({cause})"
        )
    if isinstance(cause, TimeoutError):
        return "no answer in time"
    return f"{type(cause).__name__}: {cause}"
