# SPDX-License-Identifier: Apache-2.0
"""What is said to one member: its own mark, and the assignor that all are to use."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from segue._drain.channel import ChannelError
from segue._drain.complaints import Complaints
from segue._drain.mark import Mark
from segue._drain.side_entry import SideEntry
from segue._drain.side_groups import SideGroups
from segue._drain.swap import Swap

_LOOKING = "look for a mark on this member and for the assignor that is wished for"


class Inbox:
    """For one thread."""

    def __init__(self, groups: SideGroups, instance: str, topics: Callable[[], Iterable[str]]) -> None:
        self.mark = SideEntry(groups, groups.mark(instance), Mark.read, topics)
        self.swap = SideEntry(groups, groups.assignor, Swap.read, topics)
        self._channel = groups.channel
        self._complaints = Complaints(groups.prefix)

    def look(self) -> bool:
        """Looks anew, at both in one request; whether the answer came."""
        entries = (self.mark, self.swap)
        try:
            found = self._channel.read([entry.group for entry in entries])
        except ChannelError as fault:
            self._complaints.failed(_LOOKING, "it cannot be drained from outside, nor hears of a swap", fault)
            return False
        for entry in entries:
            entry.see(found.get(entry.group, ()))
        self._complaints.worked(_LOOKING)
        return True
